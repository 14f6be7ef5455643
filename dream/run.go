package dream

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/tree"
)

// Budget is how long a dream may take (specification, "Dream Logs").
const Budget = 5 * time.Minute

// cancelPoll is how often a dream looks whether somebody asked it to stop: half of what
// people notice.
const cancelPoll = 100 * time.Millisecond

// Host is where a dream runs.
type Host struct {
	Store *tree.Store
	// Apply does a batch and shows readers the new tree.
	Apply func(ctx context.Context, b tree.Batch) (*tree.Report, error)
	// See looks at the code; it may wait for it.
	See   func(ctx context.Context) (Sight, error)
	Queue func() string // what is being worked on, "" for nothing; may be nil
	Model llm.Model     // proposes over what rules find; nil: rules decide
	Now   func() time.Time
}

// Options say how a dream is to run.
type Options struct {
	Force    bool   // also where time, activity and queue speak against it
	DryRun   bool   // plan and show, change nothing
	Trigger  string // cli, manual or agent-idle
	Budget   time.Duration
	Started  func(id string) // called once it runs: it passed the gates and has its log
	Progress func(phase Phase, done, total int)
}

// ErrCancelled ends a dream that somebody asked to stop.
var ErrCancelled = errors.New("cancelled")

// Run dreams once. *Skipped is returned where it may not run now. A dream that does not come to
// its end returns its log, too: what it did stays.
func Run(ctx context.Context, h Host, o Options) (*Log, error) {
	if o.Budget == 0 {
		o.Budget = Budget
	}
	if o.Progress == nil {
		o.Progress = func(Phase, int, int) {}
	}
	if o.Started == nil {
		o.Started = func(string) {}
	}
	st, err := readState(h.Store)
	if err != nil {
		return nil, err
	}
	if !o.Force && !o.DryRun {
		if skipped, err := gates(h.Store, st, h.Now(), h.Queue); err != nil || skipped != nil {
			return nil, errOr(err, skipped)
		}
	}
	if o.DryRun {
		r := run{Host: h, Options: o, state: st, log: &Log{ID: "drm-0", Started: h.Now().UTC(), Trigger: o.Trigger}}
		r.dream(ctx)
		r.log.sum()
		return r.log, r.err
	}
	unlock, err := lock(h.Store, h.Now())
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := settle(h.Store); err != nil {
		return nil, err
	}
	if st, err = readState(h.Store); err != nil {
		return nil, err
	}
	before := st
	r := run{Host: h, Options: o, state: st, log: &Log{Started: h.Now().UTC(), Outcome: Processing, Trigger: o.Trigger, Before: &before}}
	r.log.ID = newID(h.Now(), func(id string) bool {
		_, err := h.Store.ReadBeside(logFile(id))
		return !errors.Is(err, fs.ErrNotExist)
	})
	if err := writeLog(h.Store, r.log); err != nil {
		return nil, err
	}
	o.Started(r.log.ID)
	ctx, cancel := context.WithTimeoutCause(ctx, o.Budget, fmt.Errorf("its %v were over", o.Budget))
	defer cancel()
	ctx, stop := watchCancel(ctx, h.Store, r.log.ID)
	defer stop()
	r.dream(ctx)
	if r.err != nil && ctx.Err() != nil {
		r.err = context.Cause(ctx)
	}
	return r.log, r.end(ctx)
}

func errOr(err error, s *Skipped) error {
	if err != nil {
		return err
	}
	return s
}

// run is a dream under way.
type run struct {
	Host
	Options
	state   State
	log     *Log
	hints   []PendingMerge
	counsel *counsel // nil: rules decide
	err     error    // why it ended before its time
}

// dream goes through the phases.
func (r *run) dream(ctx context.Context) {
	var sight Sight
	if r.See != nil {
		var err error
		if sight, err = r.See(ctx); err != nil {
			if r.err = ctx.Err(); r.err != nil {
				return
			}
			r.log.Notes = append(r.log.Notes, "the code was not looked at: "+err.Error())
		}
	}
	decided, err := r.refusals()
	if err != nil {
		r.err = err
		return
	}
	for _, phase := range []Phase{Consolidate, Synthesize, Prune} {
		m, err := r.material(sight, decided)
		if err != nil {
			r.err = err
			return
		}
		m.counsel.begin(ctx)
		r.Progress(phase, 0, 0)
		steps, err := r.plan(ctx, phase, m)
		if err != nil {
			r.err = err
			return
		}
		for i, s := range steps {
			if r.err = context.Cause(ctx); r.err != nil {
				return
			}
			r.Progress(phase, i, len(steps))
			r.log.Steps = append(r.log.Steps, r.do(ctx, s))
		}
		if !r.DryRun {
			if r.err = writeLog(r.Store, r.log); r.err != nil {
				return
			}
		}
	}
}

// plan plans one phase.
func (r *run) plan(ctx context.Context, phase Phase, m material) (steps []Step, err error) {
	switch phase {
	case Consolidate:
		return consolidate(ctx, m)
	case Synthesize:
		steps, r.log.Candidates, err = synthesize(ctx, m)
		return steps, err
	}
	return prune(ctx, m)
}

// do does one step.
func (r *run) do(ctx context.Context, s Step) Step {
	if s.Action == MergeInto {
		s.Status = Noted
		r.hints = append(r.hints, PendingMerge{s.Inputs[0], s.Output, s.Reason, r.log.ID})
		return s
	}
	for i := range s.Ops {
		s.Ops[i].Reason = s.text()
	}
	b := tree.Batch{Ops: s.Ops, Author: author(r.log.ID), Atomic: true, DryRun: r.DryRun, Origin: s.origin}
	if s.Review {
		b.Hold = tree.HoldAll
	}
	report, err := r.Apply(ctx, b)
	if err != nil {
		s.Status, s.Message = Failed, err.Error()
		return s
	}
	s.Batch, s.Diff, s.Status = report.Batch, report.Diff, Done
	for _, res := range report.Results {
		switch {
		case res.Status == tree.StatusFailed:
			if s.Status != Failed || res.Code != tree.FailAtomic { // which says only that another failed
				s.Message = res.Message
			}
			s.Status = Failed
			continue
		case s.Status == Failed:
			continue
		case res.Status == tree.StatusPending:
			s.Status = Waits
		}
		s.Message = res.Message
	}
	return s
}

// end writes what became of the dream.
func (r *run) end(ctx context.Context) error {
	now := r.Now().UTC()
	r.log.Ended = &now
	done := slices.ContainsFunc(r.log.Steps, func(s Step) bool { return s.Status != Failed })
	switch {
	case r.err == nil:
		r.log.Outcome = Completed
	case done:
		r.log.Outcome = Partial
	default:
		r.log.Outcome = Errored
	}
	if r.err != nil {
		r.log.Notes = append(r.log.Notes, "ended early: "+r.err.Error())
	}
	if r.log.Outcome != Errored {
		st := r.state
		st.LastDreamAt, st.LastDreamID, st.CurationsSinceLast, st.PendingMerges = &now, r.log.ID, 0, r.hints
		st.TotalDreams++
		if err := writeState(r.Store, st); err != nil {
			return err
		}
	}
	if err := writeLog(r.Store, r.log); err != nil {
		return err
	}
	if err := pruneLogs(r.Store); err != nil {
		return err
	}
	return r.err
}

// refusals tells what people rejected of former dreams, and what of them still waits: the same
// is not proposed again while its entries stay as they are.
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
		if l.Action == "reject" {
			rejected[l.Of] = true
		}
	}
	waiting := map[int]bool{}
	reviews, err := r.Store.Reviews()
	if err != nil {
		return nil, err
	}
	for _, w := range reviews {
		waiting[w.Batch] = true
	}
	all, err := ids(r.Store)
	if err != nil {
		return nil, err
	}
	waits := map[string]bool{}
	for _, id := range all {
		l, err := readLog(r.Store, id)
		if err != nil || l.Outcome == Undone {
			continue // one that cannot be read says nothing
		}
		for _, s := range l.Steps {
			waits[s.Key] = waits[s.Key] || waiting[s.Batch]
			if k := s.Key; k != "" && rejected[s.Batch] && !known[k] {
				known[k] = true
				r.state.Refused = append(r.state.Refused, k)
			}
		}
	}
	return func(key string) bool { return known[key] || waits[key] }, nil
}

// settle ends the logs of dreams that were killed: what they did is in the journal. The lock
// is held.
func settle(s *tree.Store) error {
	all, err := ids(s)
	if err != nil {
		return err
	}
	for _, id := range all {
		l, err := readLog(s, id)
		if err != nil || l.Outcome != Processing {
			continue
		}
		if err := l.recover(s); err != nil {
			return err
		}
	}
	return nil
}

// recover fills a log with what the journal knows of its dream.
func (l *Log) recover(s *tree.Store) error {
	log, err := s.Log(0)
	if err != nil {
		return err
	}
	waits := map[int]bool{}
	reviews, err := s.Reviews()
	if err != nil {
		return err
	}
	for _, r := range reviews {
		waits[r.Batch] = true
	}
	written := map[int]bool{}
	for _, st := range l.Steps {
		written[st.Batch] = true
	}
	for _, c := range slices.Backward(log) {
		if dreamOf(c) != l.ID || c.Action != "apply" || written[c.ID] {
			continue
		}
		st := Step{Batch: c.ID, Status: Done, Inputs: c.Files, Reason: strings.Join(c.Reasons, "; "), Phase: Consolidate}
		if waits[c.ID] {
			st.Status, st.Review = Waits, true
		}
		for _, p := range []Phase{Consolidate, Synthesize, Prune} {
			if rest, ok := strings.CutPrefix(st.Reason, "[dream/"+string(p)+"] "); ok {
				st.Phase, st.Reason = p, rest
			}
		}
		l.Steps = append(l.Steps, st)
	}
	l.Outcome = Partial
	if len(l.Steps) == 0 {
		l.Outcome = Errored
	}
	l.Notes = append(l.Notes, "it was killed; what it did is in the journal")
	return writeLog(s, l)
}

// cancelFile asks a dream to stop.
func cancelFile(id string) string { return "state/dream-cancel-" + id }

// Cancel asks a running dream to stop; it ends with its present step.
func Cancel(s *tree.Store, id string) error {
	l, err := readLog(s, id)
	if err != nil {
		return err
	}
	unlock, err := lock(s, time.Time{})
	if err == nil {
		unlock()
	}
	if l.Outcome != Processing || err == nil {
		return fmt.Errorf("%s is not running", id)
	}
	return s.WriteBeside(cancelFile(id), []byte(id+"\n"))
}

// watchCancel ends ctx when somebody asks the dream to stop.
func watchCancel(ctx context.Context, s *tree.Store, id string) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(cancelPoll)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if _, err := s.ReadBeside(cancelFile(id)); err == nil {
					cancel(ErrCancelled)
					return
				}
			}
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-ended
		_ = s.RemoveBeside(cancelFile(id)) // a leftover names a dream that is no more
	}
}
