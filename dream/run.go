package dream

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// Budget is how long a dream may take (specification, "Dream Logs").
const Budget = 5 * time.Minute

// Host is where a dream runs.
type Host struct {
	Store *store.Store
	// Apply does a batch and shows readers the new tree.
	Apply func(ctx context.Context, b plan.Batch) (*plan.Report, error)
	// See looks at the code; it may wait for it.
	See   func(ctx context.Context) (Sight, error)
	Queue func() string // what is being worked on, "" for nothing; may be nil
	Model llm.Model     // proposes over what rules find; nil: rules decide
	Now   func() time.Time
}

// Options say how a dream is to run.
type Options struct {
	Force    bool   // run even if the last dream is too recent, too little changed, or the tree is in use
	DryRun   bool   // plan and show, change nothing
	Trigger  string // [Typed], manual or agent-idle
	Budget   time.Duration
	Progress func(phase Phase, done, total int)
}

// Typed is the trigger of a dream for which somebody typed the command; it runs in a process of its own.
const Typed = "cli"

// ErrCancelled ends a dream that somebody stopped.
var ErrCancelled = errors.New("cancelled")

// Run runs one dream. It returns *Skipped if no dream may run now. If the dream ends early, its finished
// steps stay, and the log has the reason. Any other error means that the log could not be written.
func Run(ctx context.Context, h Host, o Options) (*Log, error) {
	if o.Budget == 0 {
		o.Budget = Budget
	}
	if o.Progress == nil {
		o.Progress = func(Phase, int, int) {}
	}
	st, err := readState(h.Store)
	if err != nil {
		return nil, err
	}
	if !o.Force && !o.DryRun {
		n, err := activity(h.Store, st, h.Now())
		if err != nil {
			return nil, err
		}
		if skipped := gates(h.Store, st, h.Now(), n, h.Queue); skipped != nil {
			return nil, skipped
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, o.Budget, fmt.Errorf("the time limit of %v was reached", o.Budget))
	defer cancel()
	if o.DryRun {
		r := run{Host: h, Options: o, state: st, log: &Log{ID: "drm-0", Started: h.Now().UTC(), Outcome: Imagined, Trigger: o.Trigger}}
		if st.damaged != nil {
			r.log.Notes = append(r.log.Notes, st.damaged.Error()+"; a dream moves it aside and continues from the logs")
		}
		r.dream(ctx)
		r.log.Steps = slices.DeleteFunc(r.log.Steps, Step.open)
		r.log.sum()
		return r.log, r.err
	}
	unlock, err := lock(h.Store)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := settle(h.Store); err != nil {
		return nil, err
	}
	st, aside, err := soundState(h.Store) // the log is another one if a dream has just ended
	if err != nil {
		return nil, err
	}
	r := run{Host: h, Options: o, state: st, log: &Log{Started: h.Now().UTC(), Outcome: Processing, Trigger: o.Trigger, Before: &st.file}}
	if aside != "" {
		r.log.Notes = append(r.log.Notes, aside)
	}
	r.log.ID = newID(h.Now(), func(id string) bool {
		_, err := h.Store.Sidecar.Read(logFile(id))
		return !errors.Is(err, fs.ErrNotExist)
	})
	if err := writeLog(h.Store, r.log); err != nil {
		return nil, err
	}
	r.dream(ctx)
	return r.log, r.end()
}

// run is a dream under way.
type run struct {
	Host
	Options
	state   State
	log     *Log
	counsel *counsel // nil: rules decide
	looked  *looked
	leftOut bool  // a step was left out because the disk refused its files
	err     error // why it ended before its time
}

// dream goes through the phases.
func (r *run) dream(ctx context.Context) {
	if r.err = r.phases(ctx); r.err != nil && ctx.Err() != nil {
		r.err = context.Cause(ctx)
	}
}

func (r *run) phases(ctx context.Context) error {
	var sight Sight
	if r.See != nil {
		var err error
		if sight, err = r.See(ctx); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r.log.Notes = append(r.log.Notes, "the code was not checked: "+err.Error())
		}
	}
	decided, err := r.refusals()
	if err != nil {
		return err
	}
	if r.looked, err = readLooked(r.Store); err != nil {
		return err
	}
	for _, phase := range []Phase{Consolidate, Synthesize, Prune} {
		if err := ctx.Err(); err != nil {
			return err
		}
		m, err := r.material(sight, decided)
		if err != nil {
			return err
		}
		m.looked = r.looked
		m.counsel.begin(ctx)
		r.Progress(phase, 0, 0)
		steps, err := r.plan(ctx, phase, m)
		if c := m.counsel; c != nil && c.usage != (llm.Usage{}) {
			spent := c.usage
			r.log.Usage = &spent
		}
		if err != nil {
			return err
		}
		if err := r.doAll(ctx, phase, m, steps); err != nil {
			return err
		}
		if phase == Consolidate && !r.DryRun {
			if err := r.looked.write(r.Store, m.tree, r.log.Steps); err != nil {
				return err
			}
			r.state.PendingMerges = nil
		}
	}
	return nil
}

// plan plans one phase.
func (r *run) plan(ctx context.Context, phase Phase, m material) (steps []Step, err error) {
	switch phase {
	case Consolidate:
		return consolidate(ctx, m)
	case Synthesize:
		return synthesize(ctx, m)
	}
	return prune(ctx, m)
}

// doAll does the steps of a phase. They are logged before they run. If the dream is killed, the log shows
// what was planned, and the journal how far it came.
func (r *run) doAll(ctx context.Context, phase Phase, m material, steps []Step) error {
	from := len(r.log.Steps)
	r.log.Steps = append(r.log.Steps, steps...)
	if len(steps) > 0 {
		if err := r.save(); err != nil {
			return err
		}
	}
	for i, s := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.Progress(phase, i, len(steps))
		done, err := r.do(ctx, m, s)
		if err == nil || ctx.Err() == nil { // of one that was interrupted the journal knows
			r.log.Steps[from+i] = done
		}
		if err != nil {
			return err
		}
		if done.Status == Failed {
			r.looked.leave(append(slices.Clone(done.Inputs), done.Output)...)
		}
	}
	r.Progress(phase, len(steps), len(steps))
	return r.save()
}

// save writes the log, but that of a dry run.
func (r *run) save() error {
	if r.DryRun {
		return nil
	}
	return writeLog(r.Store, r.log)
}

// do carries out one step. If the disk refuses its files, the step is left out. An error ends the dream: it
// is not about the step but about the lock or the journal, or ctx has ended.
func (r *run) do(ctx context.Context, m material, s Step) (Step, error) {
	if s.Action == MergeInto {
		s.Status = Done
		return s, nil
	}
	for i := range s.Ops {
		s.Ops[i].Reason = s.text()
	}
	b := plan.Batch{Ops: s.Ops, Author: author(r.log.ID), Atomic: true, DryRun: r.DryRun, Origin: s.Origin, Base: s.base(m)}
	if s.Review {
		b.Hold = plan.HoldAll
	}
	if len(b.Base) > 0 && !r.DryRun {
		if _, err := r.Store.Refresh(ctx, slices.Sorted(maps.Keys(b.Base))...); err != nil {
			return r.refused(ctx, s, err)
		}
	}
	report, err := r.Apply(ctx, b)
	if err != nil && report == nil {
		return r.refused(ctx, s, err)
	}
	if err != nil { // it is done, and cannot be read
		return s.failed(err), err
	}
	s.Batch, s.Diff, s.Status, s.Review = report.Batch, report.Diff, Done, false
	for _, res := range report.Results {
		switch {
		case res.Status == plan.StatusFailed:
			if s.Status != Failed || res.Code != plan.FailAtomic { // which says only that another failed
				s.Message = res.Message
			}
			s.Status = Failed
			continue
		case s.Status == Failed:
			continue
		case res.Status == plan.StatusPending:
			s.Status = Waits
		}
		s.Review = s.Review || res.NeedsReview // what says already what it was to say needs none
		s.Message = res.Message
	}
	return s, nil
}

// base holds the expected state of a step's entries: as they were when it was planned; for an entry that it
// only extends, their existence.
func (s Step) base(m material) map[string]string {
	adds := s.Action == CrossReference || s.Action == Create || s.Action == Keep
	out := map[string]string{}
	for _, p := range append(slices.Clone(s.Inputs), s.Output) {
		if e, ok := m.tree.Entry(p); ok && !adds {
			out[p] = e.Hash
		} else if ok {
			out[p] = ""
		}
	}
	return out
}

// failed is a step that was not done.
func (s Step) failed(err error) Step {
	s.Status, s.Message = Failed, err.Error()
	return s
}

// refused is a step that is left out, where the disk refused one of its files; any other error ends
// the dream.
func (r *run) refused(ctx context.Context, s Step, err error) (Step, error) {
	why, ok := refusal(err)
	if !ok || ctx.Err() != nil {
		return s.failed(err), err
	}
	s.Status, s.Message = Failed, "left out: "+why
	r.log.Notes, r.leftOut = append(r.log.Notes, fmt.Sprintf("left out: %s %s: %s", s.Action, s.Output, why)), true
	return s, nil
}

// end writes the dream's results.
func (r *run) end() error {
	now := r.Now().UTC()
	r.log.Ended = &now
	r.log.Outcome = Completed
	if r.err != nil {
		r.log.Notes = append(r.log.Notes, "ended early: "+r.err.Error())
	}
	if r.err != nil || r.leftOut {
		if err := r.log.recover(r.Store); err != nil { // a step that failed may still have been carried out
			return errors.Join(r.err, err)
		}
	}
	switch {
	case r.log.Outcome != Errored:
		st := r.state.after(r.log)
		if errors.Is(r.err, ErrCancelled) { // the next need not wait: it goes on
			st.LastDreamAt, st.CurationsSinceLast = r.state.LastDreamAt, r.state.CurationsSinceLast
		}
		if err := writeState(r.Store, st); err != nil {
			return errors.Join(r.err, err)
		}
	case r.err == nil: // the disk refused all of it, and would again: the next rests, though this one does not count
		st := r.state
		st.LastDreamAt, st.CurationsSinceLast = r.log.Ended, 0
		if err := writeState(r.Store, st); err != nil {
			return err
		}
	}
	if err := writeLog(r.Store, r.log); err != nil {
		return errors.Join(r.err, err)
	}
	return pruneLogs(r.Store)
}

// refusals lists the proposals of former dreams that people rejected: they are not proposed again while their
// entries are unchanged.
func (r *run) refusals() (func(key string) bool, error) {
	known := map[string]bool{}
	for _, k := range r.state.Refused {
		known[k] = true
	}
	log, err := r.Store.Log(0)
	if err != nil {
		return nil, err
	}
	rejected := map[int]bool{}
	for _, l := range log {
		if dreamOf(l) == "" && l.Action == "reject" { // else a dream was taken back
			rejected[l.Of] = true
		}
	}
	all, err := ids(r.Store)
	if err != nil {
		return nil, err
	}
	for _, id := range all {
		l, err := readLog(r.Store, id)
		if err != nil {
			continue // one that cannot be read says nothing
		}
		for _, s := range l.Steps {
			if k := s.Key; k != "" && rejected[s.Batch] && !known[k] {
				known[k] = true
				r.state.Refused = append(r.state.Refused, k)
			}
		}
	}
	return func(key string) bool { return known[key] }, nil
}
