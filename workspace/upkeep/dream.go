// Package upkeep runs and undoes dreams on a folder's tree, and reports the state of the tree.
package upkeep

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/dream"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/store"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
	"github.com/brv-lsp/brv-lsp/workspace/diagnosis"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
)

// The possible starters of a dream, as named in its log.
const (
	DreamTyped = dream.Typed
	DreamAsked = "manual"     // a person starts it in an editor
	DreamIdle  = "agent-idle" // a server starts it during inactivity
)

// dreamSees bounds how long a dream waits for the code and git: one of its five minutes. A first read of 20,000
// files is complete by then. Without the code, a dream still links and merges.
const dreamSees = time.Minute

// DreamRequest says how to run a dream.
type DreamRequest struct {
	// run even if the last dream is too recent, too little changed, or the tree is in use
	Force   bool `json:"force,omitempty" flag:"force"`
	DryRun  bool `json:"dryRun,omitempty" flag:"dry-run"`   // show what the dream would do, with differences, and write nothing
	NoModel bool `json:"noModel,omitempty" flag:"no-model"` // do not ask a model

	Trigger  string        `json:"-"` // who starts it, said by the program; DreamAsked if ""
	Progress DreamProgress `json:"-"` // nil: nobody is told
}

// DreamResponse holds the operations of a dream, or why it did not run.
type DreamResponse struct {
	*dream.Log
	Skipped *dream.Skipped `json:"skipped,omitempty"` // why it did not run; all other keys are then missing
}

// DreamProgress receives the progress of a dream; it must be quick.
type DreamProgress func(phase string, done, total int)

// Dream maintains the tree once; see package dream. The log, not an error, tells what a dream cannot do and
// whether it was cancelled.
//
// A dream that was not requested runs only in a trusted folder, and calls no model that needs an action by the
// user, as the editor's model does.
func Dream(ctx context.Context, w *workspace.Workspace, req DreamRequest) (*DreamResponse, error) {
	o := dream.Options{Force: req.Force, DryRun: req.DryRun, Trigger: req.Trigger}
	if o.Trigger == "" {
		o.Trigger = DreamAsked
	}
	if ok, _ := w.Trusted(); o.Trigger == DreamIdle && !ok {
		return nil, errors.New("dreams do not start by themselves in a folder that is not trusted")
	}
	if req.Progress != nil {
		o.Progress = func(p dream.Phase, done, total int) { req.Progress(string(p), done, total) }
	}
	log, err := dreaming(ctx, w, func(ctx context.Context, h dream.Host) (*dream.Log, error) {
		h.Model = dreamModel(w, req)
		return dream.Run(ctx, h, o)
	})
	if skipped, ok := errors.AsType[*dream.Skipped](err); ok {
		return &DreamResponse{Skipped: skipped}, nil
	}
	if err != nil {
		return nil, err
	}
	return &DreamResponse{Log: shown(log)}, nil
}

// dreamModel returns the model that a dream may call, nil if there is none.
func dreamModel(w *workspace.Workspace, req DreamRequest) llm.Model {
	if req.NoModel || req.Trigger == DreamIdle && provider.StateOf(w).Provider == provider.Editor {
		return nil
	}
	return provider.Model(w)
}

// shown returns a log without the data that only undo needs.
func shown(l *dream.Log) *dream.Log {
	if l == nil {
		return nil
	}
	out := *l
	out.Before, out.Steps = nil, append([]dream.Step{}, l.Steps...) // a list even without steps
	return &out
}

// dreaming runs a part of a dream, so that Close waits for it, and then shows the new tree to readers.
func dreaming(ctx context.Context, w *workspace.Workspace, f func(context.Context,
	dream.Host) (*dream.Log, error)) (log *dream.Log, err error) {
	store, err := w.Store()
	if err != nil {
		return nil, err
	}
	ctx, done := both(ctx, w.Life())
	defer done()
	h := dream.Host{
		Store: store, See: func(ctx context.Context) (dream.Sight, error) { return sight(ctx, w) },
		Queue: func() string { return underWay(w) }, Now: w.Now,
		Apply: func(ctx context.Context, b plan.Batch) (*plan.Report, error) {
			report, err := store.Apply(ctx, b)
			w.Adopt(store)
			w.Revised()
			return report, err
		},
	}
	err = errors.New("the dream failed because of an internal error; see the log")
	ended := make(chan struct{})
	if !w.Go(func() {
		defer close(ended)
		log, err = f(ctx, h)
	}) {
		return nil, workspace.ErrClosed
	}
	<-ended
	w.Adopt(store)
	w.Revised()
	if log != nil && slices.ContainsFunc(log.Steps, func(s dream.Step) bool { return s.Batch != 0 }) {
		curation.DeriveLater(w, store)
	}
	return log, err
}

// both returns a context that ends with either. In both cases, its cause is that the dream was cancelled.
func both(ctx, life context.Context) (context.Context, func()) {
	out, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	end := func() { cancel(dream.ErrCancelled) }
	asked, closed := context.AfterFunc(ctx, end), context.AfterFunc(life, end)
	return out, func() {
		asked()
		closed()
		cancel(nil)
	}
}

// sight returns the sources of a dream besides the tree: the search, and as much of the code as is read within
// [dreamSees]. Git's data are included only in a trusted folder. The search is returned with an error too.
func sight(ctx context.Context, w *workspace.Workspace) (dream.Sight, error) {
	within, done := context.WithTimeout(ctx, dreamSees)
	defer done()
	err := w.WaitCode(within)
	if err == nil {
		err = w.Follow(within)
	}
	if err == nil {
		w.ReadHistory(within)
		err = within.Err()
	}
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case within.Err() != nil:
		err = fmt.Errorf("reading it took longer than %v", dreamSees)
	}
	v := w.View()
	sees := dream.Sight{Search: v.LateSearch()}
	if err != nil {
		return sees, err
	}
	if len(v.Code().Chunks()) == 0 {
		return sees, nil // knowledge that is kept apart from its code: none of its files counts as gone
	}
	sees.Drifts = func(ctx context.Context, entries []*format.Entry) (map[string][]link.Drift, error) {
		return drift.Compare(ctx, v, entries...)
	}
	return sees, nil
}

// underWay returns a description of the work in progress in this process, "" for none. No dream starts in the
// meantime.
func underWay(w *workspace.Workspace) string {
	if what := w.UnderWay(); what != "" {
		return what
	}
	if unsaved := slices.Sorted(maps.Keys(w.Unsaved())); len(unsaved) > 0 {
		return unsaved[0] + " has unsaved changes"
	}
	return ""
}

// UndoDream undoes the newest dream of which something can be undone: its changes, approved changes, and pending
// ones. The response tells the result for each operation; see [dream.Undo].
func UndoDream(ctx context.Context, w *workspace.Workspace, _ struct{}) (*DreamResponse, error) {
	log, err := dreaming(ctx, w, dream.Undo)
	if skipped, ok := errors.AsType[*dream.Skipped](err); ok {
		return nil, fmt.Errorf("no dream can be undone now: %s", skipped.Reason)
	}
	if err != nil {
		return nil, err
	}
	return &DreamResponse{Log: shown(log)}, nil
}

// CancelDream makes a dream that a command line runs end after its present step.
func CancelDream(_ context.Context, w *workspace.Workspace, id string) (*struct{}, error) {
	store, err := w.Store()
	if err != nil {
		return nil, err
	}
	return &struct{}{}, dream.Cancel(store, id)
}

// DreamsRequest asks for the dreams of the tree.
type DreamsRequest struct {
	Limit int `json:"limit,omitempty"` // the number of newest dreams to list; 0: all
}

// DreamsResponse lists dreams, and says whether one would run now.
type DreamsResponse struct {
	Dreams []dream.Log `json:"dreams"` // the dreams, newest first; the last 50 are kept
	dream.Readiness
}

// Dreams lists the dreams of the tree.
func Dreams(_ context.Context, w *workspace.Workspace, req DreamsRequest) (*DreamsResponse, error) {
	store, err := w.Store()
	if err != nil {
		return nil, err
	}
	out := &DreamsResponse{}
	if out.Dreams, err = dream.List(store, req.Limit); err != nil {
		return nil, err
	}
	for i := range out.Dreams {
		out.Dreams[i] = *shown(&out.Dreams[i])
	}
	out.Readiness, err = dream.Ready(store, w.Now(), func() string { return underWay(w) })
	return out, err
}

// DreamStatus summarises the dreams of the tree.
type DreamStatus struct {
	Last    *dream.Log     `json:"last,omitempty"`    // the newest dream, without its operations; missing if there was none
	Running string         `json:"running,omitempty"` // the dream that runs now
	Skipped *dream.Skipped `json:"skipped,omitempty"` // why no dream would run now
	Damaged string         `json:"damaged,omitempty"` // why the state file of dreams cannot be read, if so
	// the status as one line of text, with local times and the proposals of the newest dream that wait
	Line string `json:"line"`
}

// dreamStatus examines the newest dream and the gates. Errors are reported in the result, since the rest of a
// status is still useful.
func dreamStatus(w *workspace.Workspace, store *store.Store) *DreamStatus {
	stand, err := dream.Ready(store, w.Now(), func() string { return underWay(w) })
	out := &DreamStatus{Running: stand.Running, Skipped: stand.Skipped, Damaged: stand.Damaged}
	newest, listed := dream.List(store, 1)
	waiting, counted := store.Reviews.Waiting()
	if err := errors.Join(err, listed, counted); err != nil {
		out.Damaged = err.Error()
	}
	said := []string{"none yet"}
	for _, l := range newest {
		said[0] = fmt.Sprintf("%s %s, %s: %s", l.ID, l.Outcome, l.Started.Local().Format(time.DateTime), l.Summary)
		waits, done := 0, 0
		for _, s := range l.Steps {
			switch {
			case !slices.Contains(waiting, s.Batch):
			case s.Status == dream.Waits:
				waits++
			default:
				done++
			}
		}
		if waits > 0 {
			said = append(said, words.Counted(waits, "operation of it waits", "operations of it wait")+" for a review")
		}
		if done > 0 {
			said = append(said, words.Counted(done, "operation of it", "operations of it")+" should be checked")
		}
		l.Steps = nil
		out.Last = shown(&l)
	}
	switch {
	case out.Running != "":
		said = append(said, out.Running+" runs")
	case out.Skipped != nil:
		said = append(said, "no dream is due: "+out.Skipped.Reason)
	default:
		said = append(said, "a dream is due")
	}
	if out.Damaged != "" {
		said = append(said, out.Damaged)
	}
	out.Line = strings.Join(said, "; ")
	return out
}

// Status reports the state of the tree: counts, stale and pending entries, and whether the folder is trusted. Its
// errors and warnings come from [diagnosis.Check], and it waits for the same data.
func Status(ctx context.Context, v *workspace.View, req StatusRequest) (*StatusReport, error) {
	w := v.Workspace()
	store, err := w.Store()
	if err != nil {
		return nil, err
	}
	state, err := store.State()
	if err != nil {
		return nil, err
	}
	found, err := diagnosis.Check(ctx, v, diagnosis.CheckRequest{Severity: req.Severity})
	if err != nil {
		return nil, err
	}
	r := &StatusReport{State: state}
	r.Errors, r.Warnings = found.Errors, found.Warnings
	left := map[string]bool{}
	for _, f := range found.Findings {
		left[f.Path] = left[f.Path] || f.Code == format.CodeStale
	}
	for _, is := range left {
		if is {
			r.LeftBehind++
		}
	}
	r.Trusted, r.Untrusted = w.Trusted()
	r.Tracked = w.TrackedFile()
	r.Model, r.Dreams = provider.StateOf(w), dreamStatus(w, store)
	return r, nil
}

// StatusRequest says how to count problems.
type StatusRequest struct {
	Severity diagnosis.Grades `json:"severity,omitempty"` // the severity by code, as for a check
}

// StatusReport describes the state of the tree, and says whether the folder is trusted.
type StatusReport struct {
	*store.State
	Errors   int `json:"errors"` // the number of errors, as a check counts them
	Warnings int `json:"warnings"`
	// LeftBehind is the number of stale entries among these errors and warnings.
	LeftBehind int `json:"leftBehind"`
	// a personal file that git tracks; while git tracks it, brv-lsp writes nothing
	Tracked   string              `json:"tracked,omitempty"`
	Trusted   bool                `json:"trusted"`
	Untrusted string              `json:"untrusted,omitempty"` // why the folder is not trusted, and what to do
	Model     provider.ModelState `json:"model"`
	Dreams    *DreamStatus        `json:"dreams"`
}

// ReindexResponse says that the folder is being read again.
type ReindexResponse struct {
	Started bool `json:"started"`
}

// Reindex starts to read the tree and the code again, for use if notifications of changes on disk are not
// reliable. It does not wait for the end.
func Reindex(_ context.Context, w *workspace.Workspace, _ struct{}) (*ReindexResponse, error) {
	w.DiskChanged(nil)
	return &ReindexResponse{Started: true}, nil
}
