package dream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/tree"
)

// Stays is returned by Undo where changes of the dream could not be taken back; everything else
// was, and the dream counts as undone.
type Stays struct {
	ID      string
	Changes []Stay
}

// Stay is a change that stays.
type Stay struct {
	Batch int    `json:"batch"` // of the journal
	Why   string `json:"why"`
}

// Error names the changes.
func (s *Stays) Error() string {
	lines := make([]string, len(s.Changes))
	for i, c := range s.Changes {
		lines[i] = c.String()
	}
	return fmt.Sprintf("%s is taken back but for what changed since: %s", s.ID, strings.Join(lines, "; "))
}

// String says which change it is, and why.
func (s Stay) String() string { return fmt.Sprintf("change %d stays: %s", s.Batch, s.Why) }

// Undo takes the newest dream back that was not taken back: what was approved of it, what it
// did, and what of it waits. Every file has its bytes, mode and time again, and the counters
// are as before.
//
// A change whose entries were changed since, or whose record is gone, stays, and everything
// else is taken back; [*Stays] names it, and so does the log. The next call takes back the dream
// before. Any other error, of the disk or of an entry with unsaved changes, ends the call
// in the middle; the next one goes on.
func Undo(ctx context.Context, h Host) (*Log, error) {
	unlock, err := lock(h.Store, h.Now())
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := settle(h.Store); err != nil {
		return nil, err
	}
	l, damaged, err := last(h.Store)
	if err != nil {
		return nil, err
	}
	if l == nil {
		return nil, errors.New("there is no dream to take back")
	}
	stays, err := l.takeBack(ctx, h)
	if err != nil {
		return l, err
	}
	if err := l.restoreState(h.Store); err != nil {
		return l, err
	}
	if err := h.Store.RemoveBeside(lookedFile); err != nil { // to be looked at again by who asks for it
		return l, err
	}
	if damaged != nil {
		if err := h.Store.WriteBeside(logFile(l.ID)+".damaged", damaged); err != nil {
			return l, err
		}
	}
	now := h.Now().UTC()
	l.Outcome, l.Ended = Undone, &now
	for _, s := range stays {
		l.Notes = append(l.Notes, s.String())
	}
	if err := writeLog(h.Store, l); err != nil || len(stays) == 0 {
		return l, err
	}
	return l, &Stays{l.ID, stays}
}

// restoreState brings back what was remembered before the dream. What people rejected of
// former dreams is read from their logs again.
func (l *Log) restoreState(s *tree.Store) error {
	switch {
	case l.Before == nil: // the log was damaged: as the reference system does it
		st, err := readState(s)
		if err != nil || st.LastDreamID != l.ID {
			return err
		}
		st.LastDreamAt, st.LastDreamID, st.TotalDreams = nil, "", max(0, st.TotalDreams-1)
		st.PendingMerges = slices.DeleteFunc(st.PendingMerges, func(p PendingMerge) bool { return p.By == l.ID })
		return writeState(s, st)
	case *l.Before == "":
		return s.RemoveBeside(stateFile)
	}
	return s.WriteBeside(stateFile, []byte(*l.Before))
}

// last is the newest dream of ours that did something and was not taken back; nil if there is
// none. A log that cannot be read is made again from the journal, if that knows anything of its
// dream that still stands; damaged is what it was.
func last(s *tree.Store) (l *Log, damaged []byte, err error) {
	all, err := ids(s)
	if err != nil {
		return nil, nil, err
	}
	for _, id := range all {
		l, err := readLog(s, id)
		if err == nil {
			if l.own() && (l.Outcome == Completed || l.Outcome == Partial) {
				return l, nil, nil
			}
			continue
		}
		if l, err = rebuilt(s, id, err); err != nil {
			return nil, nil, err
		}
		if l != nil {
			damaged, err := s.ReadBeside(logFile(id))
			return l, damaged, err
		}
	}
	return nil, nil, nil
}

// rebuilt is the log of a dream whose file cannot be read, as far as the journal knows of it;
// nil if nothing of it stands or waits.
func rebuilt(s *tree.Store, id string, why error) (*Log, error) {
	l := &Log{ID: id, Started: time.UnixMilli(startOf(id)).UTC()}
	if err := l.recover(s); err != nil {
		return nil, err
	}
	l.Notes = append(l.Notes, "made again from the journal: "+why.Error())
	mine, err := l.standing(s)
	if err != nil || len(mine.changes)+len(mine.waits) == 0 {
		return nil, err
	}
	return l, nil
}

// standing is what of a dream is there to be taken back.
type standing struct {
	changes []int // of the journal, the newest first
	waits   []int // batches, the newest first
	lost    []int // that the log knows and the journal does not
}

func (l *Log) standing(s *tree.Store) (out standing, err error) {
	log, err := s.Log(0)
	if err != nil {
		return out, err
	}
	mine, gone := map[int]bool{}, map[int]bool{} // what the journal has is in mine, false if it is another's
	for _, c := range log {
		mine[c.ID] = dreamOf(c) == l.ID
	}
	for _, st := range l.Steps {
		if _, known := mine[st.Batch]; !known && st.Batch != 0 {
			out.lost = append(out.lost, st.Batch)
		}
	}
	for _, c := range log { // newest first: an undo that was undone is not one
		if (c.Action == "undo" || c.Action == "reject" && len(c.Files) > 0) && !gone[c.ID] {
			gone[c.Of] = true
		}
	}
	kept := map[int]bool{} // steps that changed no file, but when an entry is stale
	for _, st := range l.Steps {
		kept[st.Batch] = st.Action == Keep && st.Status == Done
	}
	for _, c := range log {
		of := mine[c.ID] && c.Action == "apply"
		approved := mine[c.Of] && c.Action == "approve"
		if (of || approved) && !gone[c.ID] && (len(c.Files) > 0 || kept[c.ID]) {
			out.changes = append(out.changes, c.ID)
		}
	}
	waiting, err := s.Waiting()
	for _, id := range slices.Backward(waiting) {
		if mine[id] {
			out.waits = append(out.waits, id)
		}
	}
	return out, err
}

// takeBack undoes the dream's changes, the newest first, and rejects what waits.
func (l *Log) takeBack(ctx context.Context, h Host) (stays []Stay, err error) {
	mine, err := l.standing(h.Store)
	if err != nil {
		return nil, err
	}
	for _, id := range mine.lost {
		stays = append(stays, Stay{id, "the journal cannot read it"})
	}
	reason := "dream " + l.ID + " is taken back"
	for _, id := range mine.changes {
		_, err := h.Store.Undo(ctx, id, author(l.ID), reason)
		var changed *tree.UndoConflict
		switch {
		case err == nil, errors.Is(err, tree.ErrNothing): // it was in counters of an entry that is merged into another, which stays
		case errors.As(err, &changed) && len(changed.Files) > 0, errors.Is(err, txn.ErrNoRecord), errors.Is(err, txn.ErrDamaged):
			stays = append(stays, Stay{id, err.Error()})
		default:
			return nil, fmt.Errorf("change %d of %s: %w", id, l.ID, err)
		}
	}
	if mine, err = l.standing(h.Store); err != nil { // what was approved waits again
		return nil, err
	}
	for _, id := range mine.waits {
		if slices.ContainsFunc(stays, func(s Stay) bool { return s.Batch == id }) {
			continue // somebody may still look at it
		}
		if _, err := h.Store.Reject(ctx, id, author(l.ID), reason); err != nil {
			return nil, fmt.Errorf("change %d of %s: %w", id, l.ID, err)
		}
	}
	return stays, nil
}
