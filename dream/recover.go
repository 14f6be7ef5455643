package dream

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree/store"
)

// settle ends the logs of dreams that were killed: what they did is in the journal. The lock
// is held.
func settle(s *store.Store) error {
	all, err := ids(s)
	if err != nil {
		return err
	}
	for _, id := range all {
		l, err := readLog(s, id)
		if err != nil || l.Outcome != Processing || !l.own() {
			continue
		}
		if err := l.recover(s); err != nil {
			return err
		}
		l.Notes = append(l.Notes, "it was killed; what it did is in the journal")
		if err := writeLog(s, l); err != nil {
			return err
		}
	}
	return nil
}

// recover fills the log of a dream that did not come to its end with what the journal knows of it.
func (l *Log) recover(s *store.Store) error {
	log, err := s.Log(0)
	if err != nil {
		return err
	}
	waits, err := waitingOf(s)
	if err != nil {
		return err
	}
	written := map[int]bool{}
	for _, st := range l.Steps {
		written[st.Batch] = true
	}
	for _, c := range slices.Backward(log) {
		if dreamOf(c) != l.ID || c.Action != "apply" || written[c.ID] {
			continue
		}
		st := l.planned(c)
		st.Batch, st.Status = c.ID, Done
		if waits[c.ID] {
			st.Status, st.Review = Waits, true
		}
		l.Steps = append(slices.DeleteFunc(l.Steps, func(s Step) bool { return s.Status == Failed && s.text() == st.text() }), st)
	}
	l.Planned, l.Outcome = nil, Errored
	if slices.ContainsFunc(l.Steps, func(s Step) bool { return s.Status != Failed }) {
		l.Outcome = Partial
	}
	return nil
}

// planned is the step that a change of the journal was, as far as the log or the journal tells.
func (l *Log) planned(c store.Logged) Step {
	reason := strings.Join(c.Reasons, "; ")
	for _, is := range []func(st Step) bool{
		func(st Step) bool { return st.text() == reason },
		func(st Step) bool { return slices.Contains(c.Files, st.Output) || slices.Contains(c.About, st.Output) }, // a reason is redacted
	} {
		if i := slices.IndexFunc(l.Planned, is); i >= 0 {
			return l.Planned[i]
		}
	}
	st := Step{Phase: Consolidate, Inputs: append(slices.Clone(c.Files), c.About...), Reason: reason}
	for _, p := range []Phase{Consolidate, Synthesize, Prune} {
		if rest, ok := strings.CutPrefix(reason, "[dream/"+string(p)+"] "); ok {
			st.Phase, st.Reason = p, rest
		}
	}
	return st
}
