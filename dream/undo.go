package dream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// Fate is the outcome for a step when its dream was taken back.
type Fate string

// What becomes of a step of a dream that is taken back.
const (
	TakenBack Fate = "undone"
	Dropped   Fate = "dropped" // it waited for a review, and waits no more
	Stayed    Fate = "stays"   // with [Step.Stays]
	Already   Fate = "already" // nothing of it was there: somebody had rejected it, or taken it back
)

// Stay is a change of a dream that could not be taken back with it.
type Stay struct {
	Change    int      `json:"change"`          // of the journal: what `brv-lsp undo` takes
	Files     []string `json:"files,omitempty"` // tree paths that were changed since
	Why       string   `json:"why"`
	Forgotten bool     `json:"lost,omitempty"` // the journal has its record no more: it is not tried again
}

// String says which change it is, and why.
func (s Stay) String() string { return fmt.Sprintf("change %d stays: %s", s.Change, s.Why) }

// errNoDream: nothing of any dream is there to be taken back.
var errNoDream = errors.New("there is no dream to take back")

// Undo takes a dream back: what was approved of it, what it did, and what of it waits. Every file
// has its bytes, mode and time again, and the counters are as before. It is the newest dream of
// which something is there to be taken back: one that changed nothing, or of which nothing is
// left, is passed over, and a note of the log says so.
//
// A change whose entries were changed since, whose record is gone or whose files cannot be
// written, stays, and everything else is taken back: each step of the log tells ([Step.Undo]).
// The next call tries what stayed again, but for lost records, and where none of it can be taken back by then, goes on
// to the dream before. Any other error, of the journal, ends the call in the middle; the next one
// goes on.
func Undo(ctx context.Context, h Host) (*Log, error) {
	unlock, err := lock(h.Store)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := settle(h.Store); err != nil {
		return nil, err
	}
	all, err := ids(h.Store)
	if err != nil {
		return nil, err
	}
	u := undo{Host: h}
	if u.state, u.aside, err = soundState(h.Store); err != nil {
		return nil, err
	}
	if u.now, err = readJournal(h.Store); err != nil {
		return nil, err
	}
	for _, id := range all {
		l, damaged, err := standingLog(h.Store, id, u.now)
		if err != nil {
			return nil, err
		}
		if l == nil {
			continue
		}
		if done, err := u.dream(ctx, l, damaged); err != nil || done {
			return l, err
		}
	}
	if notes := u.notes(); len(notes) > 0 {
		return nil, fmt.Errorf("%w: %s", errNoDream, strings.Join(notes, "; "))
	}
	return nil, errNoDream
}

// undo is a call of Undo under way.
type undo struct {
	Host
	state State
	now   journal
	aside string   // a note about a damaged state
	above []*Log   // newer dreams that count, of which nothing is there
	stuck []string // what stays of newer dreams
}

// notes say what stood before the dream that is taken back.
func (u *undo) notes() (out []string) {
	const named = 3
	if u.aside != "" {
		out = append(out, u.aside)
	}
	var ids []string
	for _, l := range u.above {
		ids = append(ids, l.ID)
	}
	if more := len(ids) - named; more > 0 {
		ids = append(ids[:named], fmt.Sprintf("%d more", more))
	}
	if len(ids) > 0 {
		out = append(out, "passed over, since nothing of it is there to take back: "+strings.Join(ids, ", "))
	}
	return append(out, u.stuck...)
}

// dream takes one dream back, if something of it is there; done says so.
func (u *undo) dream(ctx context.Context, l *Log, damaged []byte) (done bool, err error) {
	again := l.Outcome == Undone
	mine := l.remaining(u.now)
	if !again && !mine.anything() {
		u.above = append(u.above, l)
		return false, nil
	}
	did, err := l.takeBack(ctx, u.Host, mine)
	if err != nil {
		return false, err
	}
	if u.now, err = readJournal(u.Store); err != nil {
		return false, err
	}
	if again && !did {
		if stays := l.Stays(); len(stays) > 0 {
			more := ""
			if n := len(stays) - 1; n > 0 {
				more = fmt.Sprintf(", and %d more", n)
			}
			u.stuck = append(u.stuck, "of "+l.ID+" "+stays[0].String()+more)
		}
		return false, writeLog(u.Store, l)
	}
	if !again {
		if err := l.restoreState(u.Store, u.state, u.above); err != nil {
			return false, err
		}
	}
	if err := u.Store.Sidecar.Remove(lookedFile); err != nil { // to be looked at again by who asks for it
		return false, err
	}
	if damaged != nil {
		if err := u.Store.Sidecar.Write(logFile(l.ID)+".damaged", damaged); err != nil {
			return false, err
		}
	}
	now := u.Now().UTC()
	l.Outcome, l.Ended = Undone, &now
	for _, n := range u.notes() {
		if !slices.Contains(l.Notes, n) {
			l.Notes = append(l.Notes, n)
		}
	}
	return true, writeLog(u.Store, l)
}

// restoreState brings back what was remembered before the dream. What people rejected of
// former dreams is read from their logs again. Newer dreams that are passed over go on counting:
// then the state is theirs, less what this dream brought to it.
func (l *Log) restoreState(s *store.Store, st State, above []*Log) error {
	own := st.LastDreamID == l.ID || len(above) == 0
	switch {
	case st.LastUndone == l.ID: // by a call that was killed then
		return nil
	case l.Before == nil: // the log was damaged: as the reference system does it
		if st.LastDreamID == l.ID {
			st.LastDreamAt, st.LastDreamID = nil, ""
		}
	case own && *l.Before == "":
		return s.Sidecar.Remove(stateFile)
	case own:
		return s.Sidecar.Write(stateFile, []byte(*l.Before))
	case *above[len(above)-1].Before == *l.Before: // the dream was killed before it counted
		return nil
	}
	st.LastUndone, st.TotalDreams = l.ID, max(0, st.TotalDreams-1)
	return writeState(s, st)
}

// standingLog is the log of a dream of ours that did something and of which something may still
// be taken back; nil if it is not such a dream. A log that cannot be read is made again from the
// journal, if that knows anything of its dream that still stands; damaged is what it was.
func standingLog(s *store.Store, id string, now journal) (l *Log, damaged []byte, err error) {
	if l, err = readLog(s, id); err == nil {
		rest := slices.ContainsFunc(l.Stays(), func(s Stay) bool { return !s.Forgotten })
		counts := l.Outcome == Completed || l.Outcome == Partial || l.Outcome == Undone && rest
		if !counts || l.stranger || !l.own() && l.Outcome != Undone { // one that was made again is not our own, but marked by us
			return nil, nil, nil
		}
		return l, nil, nil
	}
	if l, err = rebuilt(s, id, now, err); err != nil || l == nil {
		return nil, nil, err
	}
	if damaged, err = s.Sidecar.Read(logFile(id)); errors.Is(err, store.ErrForeign) {
		err = nil // one that is damaged has no seal
	}
	return l, damaged, err
}

// rebuilt is the log of a dream whose file cannot be read, as far as the journal knows of it;
// nil if nothing of it stands or waits.
func rebuilt(s *store.Store, id string, now journal, why error) (*Log, error) {
	l := &Log{ID: id, Started: time.UnixMilli(startOf(id)).UTC()}
	if err := l.recover(s); err != nil {
		return nil, err
	}
	l.Notes = append(l.Notes, "made again from the journal: "+why.Error())
	if mine := l.remaining(now); len(mine.changes)+len(mine.waits) == 0 {
		return nil, nil
	}
	return l, nil
}

// remaining lists the changes of a dream that can still be taken back, and those that were.
type remaining struct {
	changes   []change     // of the journal, the newest first
	waits     []int        // batches, the newest first
	forgotten []int        // batches that the log knows and the journal does not
	undone    map[int]bool // batches that taking the dream back undid
	dropped   map[int]bool // or rejected
}

// change is one of the journal that a dream made, or that approved what it proposed.
type change struct{ id, batch int }

// anything reports whether there is something to take back, or that was begun.
func (m remaining) anything() bool {
	return len(m.changes)+len(m.waits)+len(m.forgotten)+len(m.undone)+len(m.dropped) > 0
}

// journal holds the changes, and the pending reviews, of one moment.
type journal struct {
	log     []store.Logged   // the newest first
	left    map[int][]string // of [store.Remaining]
	waiting []int
}

func readJournal(s *store.Store) (j journal, err error) {
	if j.log, err = s.Log(0); err != nil {
		return j, err
	}
	j.left = store.Remaining(j.log)
	j.waiting, err = s.Reviews.Waiting()
	return j, err
}

// remaining returns the changes of a dream that the journal has.
func (l *Log) remaining(now journal) (out remaining) {
	log, left := now.log, now.left
	mine := map[int]bool{} // what the journal has is in mine, false if it is another's
	batch := map[int]int{} // of what is mine
	for _, c := range log {
		mine[c.ID] = dreamOf(c) == l.ID
	}
	for _, st := range l.Steps {
		if _, known := mine[st.Batch]; !known && st.Batch != 0 {
			out.forgotten = append(out.forgotten, st.Batch)
		}
	}
	kept := map[int]bool{} // steps that changed no file, but when an entry is stale
	for _, st := range l.Steps {
		kept[st.Batch] = st.Action == Keep && st.Status == Done
	}
	for _, c := range log {
		of := mine[c.ID] && c.Action == "apply"
		approved := mine[c.Of] && c.Action == "approve"
		if of {
			batch[c.ID] = c.ID
		} else if approved {
			batch[c.ID] = c.Of
		}
		if _, stands := left[c.ID]; (of || approved) && stands && (len(c.Files) > 0 || kept[c.ID]) {
			out.changes = append(out.changes, change{c.ID, batch[c.ID]})
		}
	}
	out.undone, out.dropped = map[int]bool{}, map[int]bool{}
	for _, c := range log {
		_, stands := left[c.ID]
		if b, ours := batch[c.Of]; ours && mine[c.ID] && stands && c.Action == "undo" {
			out.undone[b] = true
		} else if ours && mine[c.ID] && c.Action == "reject" {
			out.dropped[b] = true
		}
	}
	for _, id := range slices.Backward(now.waiting) {
		if mine[id] {
			out.waits = append(out.waits, id)
		}
	}
	return out
}

// takeBack undoes the dream's changes, the newest first, and rejects what waits; of a dream that
// was taken back already, what stayed. It says in the steps what became of each; did tells
// whether anything came of it.
func (l *Log) takeBack(ctx context.Context, h Host, mine remaining) (did bool, err error) {
	back := taking{reason: "dream " + l.ID + " is taken back", log: l, stays: map[int][]Stay{}}
	if l.Outcome == Undone {
		back.only = map[int]bool{}
		for _, s := range l.Steps {
			for _, stay := range s.Stays {
				back.only[s.Batch], back.only[stay.Change] = true, true
			}
		}
	}
	for _, id := range mine.forgotten {
		back.stays[id] = append(back.stays[id], Stay{Change: id, Why: "the journal cannot read it", Forgotten: true})
	}
	for _, c := range mine.changes {
		if err := back.try(ctx, c, h.Store.Undo); err != nil {
			return false, err
		}
	}
	now, err := readJournal(h.Store) // what was approved waits again
	if err != nil {
		return false, err
	}
	mine = l.remaining(now)
	for _, id := range mine.waits {
		if len(back.stays[id]) > 0 {
			continue // somebody may still look at it
		}
		if err := back.try(ctx, change{id, id}, h.Store.Reject); err != nil {
			return false, err
		}
	}
	if now, err = readJournal(h.Store); err != nil {
		return false, err
	}
	return l.tell(l.remaining(now), back.stays), nil
}

// taking is the progress of taking a dream back.
type taking struct {
	log    *Log
	reason string
	only   map[int]bool   // changes and batches that stayed; nil: all are tried
	stays  map[int][]Stay // by batch
}

// try takes one change back. An error ends the undo.
func (t *taking) try(ctx context.Context, c change, how func(ctx context.Context, id int, author, reason string,
	paths ...string) (*plan.Report, error)) error {
	if t.only != nil && !t.only[c.id] {
		return nil
	}
	_, err := how(ctx, c.id, author(t.log.ID), t.reason)
	switch {
	case err == nil, errors.Is(err, store.ErrNothing): // it was in counters of an entry that is merged into another, which stays
	case ctx.Err() != nil || stops(err):
		return fmt.Errorf("change %d of %s: %w", c.id, t.log.ID, err)
	default:
		t.stays[c.batch] = append(t.stays[c.batch], stayOf(c.id, err))
	}
	return nil
}

// stayOf says why a change stays.
func stayOf(id int, err error) Stay {
	if changed, ok := errors.AsType[*store.UndoConflict](err); ok && len(changed.Files) > 0 {
		s := Stay{Change: id}
		for _, f := range changed.Files {
			s.Files = append(s.Files, f.Path)
		}
		s.Why = "changed since: " + strings.Join(s.Files, ", ")
		return s
	}
	if why, ok := refusal(err); ok {
		return Stay{Change: id, Why: why}
	}
	return Stay{Change: id, Why: err.Error(), Forgotten: errors.Is(err, txn.ErrNoRecord) || errors.Is(err, txn.ErrDamaged)}
}

// tell says in each step what became of it; news, whether any was taken back that was not before.
func (l *Log) tell(now remaining, stays map[int][]Stay) (news bool) {
	for i := range l.Steps {
		s := &l.Steps[i]
		was := s.Undo
		s.Stays = stays[s.Batch]
		switch {
		case s.Status == Failed:
		case now.undone[s.Batch] && len(s.Stays) == 0:
			s.Undo = TakenBack
		case len(s.Stays) > 0:
			s.Undo = Stayed
		case now.dropped[s.Batch]:
			s.Undo = Dropped
		default:
			s.Undo = Already
		}
		news = news || s.Undo != was && (s.Undo == TakenBack || s.Undo == Dropped)
	}
	return news
}

// Stays are the changes of a dream that was taken back which could not be.
func (l *Log) Stays() (out []Stay) {
	for _, s := range l.Steps {
		out = append(out, s.Stays...)
	}
	return out
}
