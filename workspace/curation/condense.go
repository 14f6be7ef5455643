package curation

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/condense"
	"github.com/brv-lsp/brv-lsp/internal/panics"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/derived"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/store"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
)

// Generated files are extracts of the entries, at once and without a model. In a server with
// a model, in a trusted folder, that model then writes the summaries (`_index.md`) anew: after
// a change that somebody made through this server (opening a folder asks no model and writes
// nothing), once nothing has changed for a while, and folder by folder from the bottom up,
// since a folder's summary is made of those below it. A change of one entry asks for its
// folder and those above: four calls at most. What it writes stays for as long as the children
// do; what does not pass the checks (package condense), and what a person wrote, is not asked
// for again until they change. A command ends soon and asks for no summaries.

// How much is asked: condenseQuiet after the last change, so that an hour of typing is one
// change; at most foldersAPass folders before summaries are written and others have their
// turn; at most condenseHour calls an hour, which with some 3,000 tokens each is what ten
// questions of tier 4 take. A tree of 1,000 folders is done after a working week.
const (
	condenseQuiet = 30 * time.Second
	foldersAPass  = 20
	condenseHour  = 60
)

// condensing is the state of the summaries by the model.
type condensing struct {
	passMu sync.Mutex // held by a pass

	mu      sync.Mutex // guards the fields below
	timer   *time.Timer
	ended   bool
	settled map[string]string // by folder: the children_hash for which nothing is to be asked any more
	calls   []time.Time       // of the last hour
}

// summarizers are the summarizers of the open folders; planned work of one ends with its folder.
var summarizers = workspace.NewMemory(func(w *workspace.Workspace) *condensing {
	c := &condensing{}
	context.AfterFunc(w.Life(), c.end)
	return c
})

// summarizeLater has the model write summaries once nothing changes for a while.
func summarizeLater(w *workspace.Workspace, after time.Duration) {
	if !w.Serves() || provider.StateOf(w).Provider == provider.Off {
		return
	}
	c := summarizers.Of(w.View())
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.ended:
	case c.timer == nil:
		c.timer = time.AfterFunc(after, func() { w.Go(func() { summarizeNow(w) }) })
	default:
		c.timer.Reset(after)
	}
}

// end stops it.
func (c *condensing) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if c.timer != nil {
		c.timer.Stop()
	}
}

// summarizeNow is one pass. It goes on later where there is more to ask.
func summarizeNow(w *workspace.Workspace) {
	c := summarizers.Of(w.View())
	if !c.passMu.TryLock() {
		return // the pass under way begins with the tree as it is when it asks
	}
	defer c.passMu.Unlock()
	if wait := summarizePass(w.Life(), w); wait > 0 {
		summarizeLater(w, wait)
	}
}

// Summarize is one pass at once, for somebody who wants to see it.
func Summarize(ctx context.Context, w *workspace.Workspace) { summarizePass(ctx, w) }

// summarizePass asks for summaries, one depth after the other, and writes those of a depth
// before it goes on with the folders above them. It returns when to go on, 0 for not until
// something changes.
func summarizePass(ctx context.Context, w *workspace.Workspace) (wait time.Duration) {
	store, err := w.Store()
	if err != nil || !store.Written() {
		return 0
	}
	p := pass{ws: w, store: store, left: foldersAPass}
	for depth := deepest(store.Snapshot()); depth >= 0 && !p.over; depth-- {
		written := map[string]wrote{}
		for _, dir := range summarizers.Of(w.View()).open(store.Snapshot(), depth) {
			if text, ok := p.summary(ctx, dir); ok {
				written[dir] = text
			}
			if p.over {
				break
			}
		}
		if len(written) > 0 && ctx.Err() == nil && provider.Model(w) != nil {
			w.Derive(store, func(dir, hash string) format.Prose {
				if of := written[dir]; of.hash == hash {
					return of.text
				}
				return format.Prose{}
			})
		}
	}
	return p.wait
}

// pass is a pass under way.
type pass struct {
	ws    *workspace.Workspace
	store *store.Store
	left  int // calls
	over  bool
	wait  time.Duration // once it is over: when to go on, 0 for not until something changes
}

// summary asks for the summary of one folder, if it is the extract.
func (p *pass) summary(ctx context.Context, dir string) (text wrote, ok bool) {
	model, known := provider.Model(p.ws), summarizers.Of(p.ws.View())
	c, ok := derived.CoverageOf(p.store.Snapshot(), dir)
	switch {
	case model == nil || ctx.Err() != nil:
		p.over = true
		return text, false
	case ok && !c.Extract:
		known.done(c)
		return text, false
	case !ok: // it is derived again first
		return text, false
	case p.left == 0:
		p.over, p.wait = true, condenseQuiet
		return text, false
	}
	if p.wait = known.allowed(p.ws.Now()); p.wait > 0 {
		p.over = true
		return text, false
	}
	p.left--
	said, err := condense.Summary(ctx, model, c)
	unfit := errors.As(err, new(*condense.Unfit))
	if err != nil && !unfit { // it is sick, or the workspace is closed
		p.over = true
		p.ws.Logger().Info("summaries by the model", "folder", dir, "err", err)
		return text, false
	}
	known.done(c)
	if unfit {
		p.ws.Logger().Debug("summaries by the model", "folder", dir, "err", err)
	}
	return wrote{c.Hash, said}, !unfit
}

// wrote is the text of a folder's summary, of the state that it was written for.
type wrote struct {
	hash string
	text format.Prose
}

// open lists the folders of a depth for whose summary the model may still be asked, sorted.
func (c *condensing) open(t *tree.Snapshot, depth int) (dirs []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range t.Entries() {
		if e.Role != format.RoleSummary || strings.Count(e.Path, "/") != depth {
			continue
		}
		dir := strings.TrimSuffix(strings.TrimSuffix(e.Path, "_index.md"), "/")
		if state := derived.SummaryState(t, dir); state != "" && c.settled[dir] != state {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return dirs
}

// deepest is the number of folders above the deepest summary.
func deepest(t *tree.Snapshot) (depth int) {
	for _, e := range t.Entries() {
		if e.Role == format.RoleSummary {
			depth = max(depth, strings.Count(e.Path, "/"))
		}
	}
	return depth
}

// done notes that nothing is to be asked for a folder as it is.
func (c *condensing) done(of derived.Coverage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.settled == nil {
		c.settled = map[string]string{}
	}
	c.settled[of.Dir] = of.Hash
}

// allowed counts a call, or says how long none is allowed.
func (c *condensing) allowed(now time.Time) (wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = slices.DeleteFunc(c.calls, func(at time.Time) bool { return now.Sub(at) >= time.Hour })
	if len(c.calls) >= condenseHour {
		return c.calls[0].Add(time.Hour).Sub(now)
	}
	c.calls = append(c.calls, now)
	return 0
}

// Limits of what is asked while somebody waits for entries to be archived: the others get
// extracts.
const (
	maxCues    = 20
	cuesAtOnce = 4
	cuesTime   = 15 * time.Second
)

// giveCues has the model write the prose of the stubs of archived entries, as far as it
// comes. The first failure of the model is the last question.
func giveCues(ctx context.Context, w *workspace.Workspace, t *tree.Snapshot, ops []plan.Op) {
	model := provider.Model(w)
	if model == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, cuesTime)
	defer cancel()
	ops = workspace.FirstOf(ops, maxCues)
	var tasks panics.Group
	for first := range cuesAtOnce {
		tasks.Go(func() {
			for i := first; i < len(ops); i += cuesAtOnce {
				giveCue(ctx, w, cancel, model, t, &ops[i])
			}
		})
	}
	tasks.Wait()
}

// giveCue has the model write one; stop ends the questions.
func giveCue(ctx context.Context, w *workspace.Workspace, stop func(), model llm.Model, t *tree.Snapshot, op *plan.Op) {
	e, ok := t.Entry(t.Resolve("", format.FormRelated, op.Path).Target)
	if !ok || e.Role != format.RoleEntry || ctx.Err() != nil {
		return
	}
	text, err := condense.Cue(ctx, model, e)
	switch {
	case err == nil:
		op.Cue = text
	case !errors.As(err, new(*condense.Unfit)):
		stop()
		w.Logger().Info("cues by the model", "entry", e.Path, "err", err)
	default:
		w.Logger().Debug("cues by the model", "entry", e.Path, "err", err)
	}
}
