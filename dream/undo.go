package dream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/brv-lsp/brv-lsp/tree"
)

// Undo takes the newest dream back that was not taken back: what was approved of it, what it
// did, and what of it waits. Every file has its bytes, mode and time again, and the counters
// are as before. Where an entry was changed since, its step stays, and the error names it;
// what came after that step is taken back by then, and the next call goes on.
func Undo(ctx context.Context, h Host) (*Log, error) {
	unlock, err := lock(h.Store, h.Now())
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := settle(h.Store); err != nil {
		return nil, err
	}
	l, err := last(h.Store)
	if err != nil {
		return nil, err
	}
	if l == nil {
		return nil, errors.New("there is no dream to take back")
	}
	if err := l.takeBack(ctx, h); err != nil {
		return l, err
	}
	now := h.Now().UTC()
	l.Outcome, l.Ended = Undone, &now
	if err := l.restoreState(h.Store); err != nil {
		return l, err
	}
	return l, writeLog(h.Store, l)
}

// restoreState brings back what was remembered before the dream. What people rejected of
// former dreams is read from their logs again.
func (l *Log) restoreState(s *tree.Store) error {
	switch {
	case l.Before == nil:
		return nil
	case l.Before.Version == 0:
		return s.RemoveBeside(stateFile)
	}
	return writeState(s, *l.Before)
}

// last is the newest dream that did something and was not taken back; nil if there is none.
func last(s *tree.Store) (*Log, error) {
	all, err := ids(s)
	if err != nil {
		return nil, err
	}
	for _, id := range all {
		l, err := readLog(s, id)
		if err != nil {
			return nil, err
		}
		if l.Outcome == Completed || l.Outcome == Partial {
			return l, nil
		}
	}
	return nil, nil
}

// takeBack undoes the dream's changes, the newest first.
func (l *Log) takeBack(ctx context.Context, h Host) error {
	log, err := h.Store.Log(0)
	if err != nil {
		return err
	}
	mine, gone := map[int]bool{}, map[int]bool{}
	for _, c := range log {
		mine[c.ID] = dreamOf(c) == l.ID
	}
	for _, c := range log { // newest first: an undo that was undone is not one
		if c.Action == "undo" && !gone[c.ID] {
			gone[c.Of] = true
		}
	}
	kept := map[int]bool{} // steps that changed no file, but when an entry is stale
	for _, st := range l.Steps {
		kept[st.Batch] = st.Action == Keep && st.Status == Done
	}
	reason := "dream " + l.ID + " is taken back"
	for _, c := range log {
		of := mine[c.ID] && c.Action == "apply"
		approved := mine[c.Of] && c.Action == "approve"
		if (of || approved) && !gone[c.ID] && (len(c.Files) > 0 || kept[c.ID]) {
			if _, err := h.Store.Undo(ctx, c.ID, author(l.ID), reason); err != nil {
				return fmt.Errorf("change %d of %s: %w", c.ID, l.ID, err)
			}
		}
	}
	reviews, err := h.Store.Reviews()
	if err != nil {
		return err
	}
	for _, r := range slices.Backward(reviews) {
		if mine[r.Batch] {
			if _, err := h.Store.Reject(ctx, r.Batch, author(l.ID), reason); err != nil {
				return fmt.Errorf("change %d of %s: %w", r.Batch, l.ID, err)
			}
		}
	}
	return nil
}

// List returns the dreams that have a log, the newest first, at most limit (0: all).
func List(s *tree.Store, limit int) ([]Log, error) {
	all, err := ids(s)
	if err != nil {
		return nil, err
	}
	if limit > 0 {
		all = all[:min(limit, len(all))]
	}
	out := make([]Log, 0, len(all))
	for _, id := range all {
		l, err := readLog(s, id)
		if err != nil {
			return nil, err
		}
		out = append(out, *l)
	}
	return out, nil
}

// Status is how it stands with dreams.
type Standing struct {
	State   State    `json:"state"`
	Skipped *Skipped `json:"skipped,omitempty"` // why none would run now
	Running string   `json:"running,omitempty"` // the dream under way
}

// Stand says whether a dream would run now.
func Stand(s *tree.Store, now time.Time, queue func() string) (Standing, error) {
	st, err := readState(s)
	if err != nil {
		return Standing{}, err
	}
	out := Standing{State: st}
	if out.State.CurationsSinceLast, err = curations(s, st.since()); err != nil {
		return out, err
	}
	out.Skipped, err = gates(s, st, now, queue)
	return out, err
}
