package dream

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree/store"
)

// settle ends the logs of dreams that were killed: the journal has their changes. The lock is held.
func settle(s *store.Store) error {
	all, err := ids(s)
	if err != nil {
		return err
	}
	for _, id := range all {
		l, err := readLog(s, id)
		if err != nil || l.Outcome != Processing || l.stranger {
			continue
		}
		if err := l.recover(s); err != nil {
			return err
		}
		l.Notes = append(l.Notes, "it was killed; its changes are in the journal")
		if err := writeLog(s, l); err != nil {
			return err
		}
	}
	return nil
}

// recover fills in the results of an interrupted dream's steps from the journal. Steps that were not begun
// are dropped.
func (l *Log) recover(s *store.Store) error {
	log, err := s.Log(0)
	if err != nil {
		return err
	}
	waiting, err := s.Reviews.Waiting()
	if err != nil {
		return err
	}
	for _, c := range slices.Backward(log) {
		if dreamOf(c) != l.ID || c.Action != "apply" || slices.ContainsFunc(l.Steps, func(s Step) bool { return s.Batch == c.ID }) {
			continue
		}
		st := l.stepOf(c)
		st.Batch, st.Status, st.Message = c.ID, Done, ""
		if slices.Contains(waiting, c.ID) {
			st.Status, st.Review = Waits, true
		}
	}
	l.Steps = slices.DeleteFunc(l.Steps, Step.open)
	l.Outcome = Errored
	if slices.ContainsFunc(l.Steps, func(s Step) bool { return s.Status != Failed }) {
		l.Outcome = Partial
	}
	return nil
}

// stepOf is the step that a change of the journal was: one of which no batch is known, else one that
// the journal tells of.
func (l *Log) stepOf(c store.Logged) *Step {
	about := append(slices.Clone(c.Files), c.About...)
	for _, is := range []func(s Step) bool{
		func(s Step) bool { return slices.Contains(c.Reasons, s.text()) },
		func(s Step) bool { return slices.Contains(about, s.Output) }, // a reason is redacted
	} {
		if i := slices.IndexFunc(l.Steps, func(s Step) bool { return s.Batch == 0 && s.Action != MergeInto && is(s) }); i >= 0 {
			return &l.Steps[i]
		}
	}
	st := Step{Phase: Consolidate, Inputs: about, Reason: strings.Join(c.Reasons, "; ")}
	for _, p := range []Phase{Consolidate, Synthesize, Prune} {
		if rest, ok := strings.CutPrefix(st.Reason, "[dream/"+string(p)+"] "); ok {
			st.Phase, st.Reason = p, rest
		}
	}
	l.Steps = append(l.Steps, st)
	return &l.Steps[len(l.Steps)-1]
}
