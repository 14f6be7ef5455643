package dream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// Fate is the result of a step when its dream was undone.
type Fate string

// The possible fates of a step of a dream that is undone.
const (
	TakenBack Fate = "undone"
	Dropped   Fate = "dropped" // it waited for a review, and was dropped
	Stayed    Fate = "stays"   // with [Step.Stays]
	Already   Fate = "already" // there was nothing to undo: somebody had rejected or undone it
)

// Stay is a batch of a dream that could not be undone with the dream.
type Stay struct {
	Change int      `json:"change"`          // the number of the batch, for `brv-lsp undo`
	Files  []string `json:"files,omitempty"` // the files of the tree that changed since then
	Why    string   `json:"why"`
}

// String says which change it is, and why.
func (s Stay) String() string { return fmt.Sprintf("change %d stays: %s", s.Change, s.Why) }

// errNoDream: nothing of any dream is there to be taken back.
var errNoDream = errors.New("there is no dream to undo")

// Undo undoes the newest dream that has something to undo: its own changes, the approved ones, and those that
// wait for a review. Every file gets back its bytes, mode and time, and the counters are as before. A dream
// that changed nothing, or of which nothing is left, is passed over with a note in the log. The journal
// decides what a dream changed: a log that is missing or damaged is made again from it.
//
// A change stays if its entries were changed since, its record is missing, or its files cannot be written.
// Everything else is undone. [Step.Undo] has the result for each step of the log. The next call tries the
// changes that stayed again. If none of them can be undone by then, it goes on to the dream before. Any other
// error, of the journal, ends the call in the middle; the next one goes on.
func Undo(ctx context.Context, h Host) (*Log, error) {
	unlock, err := lock(h.Store)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := settle(h.Store); err != nil {
		return nil, err
	}
	u := undo{Host: h}
	if u.state, u.aside, err = soundState(h.Store); err != nil {
		return nil, err
	}
	if u.now, err = readJournal(h.Store); err != nil {
		return nil, err
	}
	all, err := ids(h.Store)
	if err != nil {
		return nil, err
	}
	for _, c := range u.now.log {
		if id := dreamOf(c); id != "" && c.Undoable && !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	sortIDs(all)
	for _, id := range all {
		l, err := u.log(id)
		if err != nil {
			return nil, err
		}
		if l == nil {
			continue
		}
		if done, err := u.dream(ctx, l); err != nil || done {
			return l, err
		}
	}
	if notes := u.notes(); len(notes) > 0 {
		return nil, fmt.Errorf("%w: %s", errNoDream, strings.Join(notes, "; "))
	}
	return nil, errNoDream
}

// undo is a running call of Undo.
type undo struct {
	Host
	state State
	now   journal
	aside string   // a note about a damaged state
	above []string // newer dreams that count, of which nothing is there
	stuck []string // what stays of newer dreams
}

// notes returns the notes about newer dreams and the damaged state, for the log of the dream that is undone.
func (u *undo) notes() (out []string) {
	const named = 3
	if u.aside != "" {
		out = append(out, u.aside)
	}
	ids := u.above
	if more := len(ids) - named; more > 0 {
		ids = append(slices.Clone(ids[:named]), fmt.Sprintf("%d more", more))
	}
	if len(ids) > 0 {
		out = append(out, "skipped because already undone: "+strings.Join(ids, ", "))
	}
	return append(out, u.stuck...)
}

// log is the log of a dream of this user, nil for any other. An unreadable log is set aside, and made again
// if the journal has anything of its dream.
func (u *undo) log(id string) (*Log, error) {
	l, why := readLog(u.Store, id)
	if why == nil && l.stranger {
		return nil, nil
	}
	if why == nil {
		return l, nil
	}
	l = &Log{ID: id, Started: time.UnixMilli(startOf(id)).UTC()}
	if err := l.recover(u.Store); err != nil {
		return nil, err
	}
	if mine := l.remaining(u.now); len(mine.changes)+len(mine.waits) == 0 {
		return nil, nil
	}
	if errors.Is(why, fs.ErrNotExist) {
		why = errors.New("the log is missing")
	}
	l.Notes = append(l.Notes, "the log was restored from the journal: "+why.Error())
	_, err := u.Store.Sidecar.SetAside(logFile(id))
	return l, err
}

// dream undoes one dream, if it has something to undo; done reports that.
func (u *undo) dream(ctx context.Context, l *Log) (done bool, err error) {
	again := l.Outcome == Undone
	mine := l.remaining(u.now)
	suggests := u.state.LastDreamID == l.ID && len(l.suggested()) > 0
	if !suggests && len(mine.changes)+len(mine.waits)+len(mine.forgotten)+len(l.Stays()) == 0 && (again || len(mine.back) == 0) {
		if l.Outcome == Completed || l.Outcome == Partial {
			u.above = append(u.above, l.ID)
		}
		return false, nil
	}
	did, err := u.takeBack(ctx, l, mine)
	if err != nil {
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
		if err := l.restoreState(u.Store, u.state); err != nil {
			return false, err
		}
	}
	if err := u.Store.Sidecar.Remove(lookedFile); err != nil { // to be looked at again by who asks for it
		return false, err
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

// restoreState restores the state before the dream. Rejections of former dreams are read from their logs
// again. If newer dreams were passed over, their state stays, and only this dream is subtracted. A dream that
// was killed before it was counted changes nothing.
func (l *Log) restoreState(s *store.Store, st State) error {
	last := st.LastDreamID == l.ID
	switch {
	case st.LastUndone == l.ID: // by a call that was killed then
		return nil
	case last && l.Before != nil && *l.Before == "":
		return s.Sidecar.Remove(stateFile)
	case last && l.Before != nil:
		return s.Sidecar.Write(stateFile, []byte(*l.Before))
	case last: // the log was damaged: handled as in the reference system
		st.LastDreamAt, st.LastDreamID, st.PendingMerges = nil, "", nil
	case l.Before != nil && l.Ended == nil:
		return nil
	}
	st.LastUndone, st.TotalDreams = l.ID, max(0, st.TotalDreams-1)
	return writeState(s, st)
}

// remaining lists the changes and waiting operations that are left of a dream.
type remaining struct {
	changes   []change     // of the journal that stand, the newest first
	waits     []int        // batches, the newest first
	forgotten []int        // batches that the log knows and the journal does not
	back      map[int]Fate // of batches that taking the dream back undid or dropped
}

// change is a change of the journal that a dream made, or that approved its proposals.
type change struct{ id, batch int }

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

// remaining returns the present effects of a dream according to the journal.
func (l *Log) remaining(now journal) (out remaining) {
	mine, batch := map[int]bool{}, map[int]int{} // of each change of the journal
	for _, c := range now.log {
		mine[c.ID], batch[c.ID] = dreamOf(c) == l.ID, cmp.Or(c.Of, c.ID)
	}
	kept := map[int]bool{} // steps that changed no file, but when an entry is stale
	for _, st := range l.Steps {
		kept[st.Batch] = st.Action == Keep && st.Status == Done
		if _, known := mine[st.Batch]; !known && st.Batch != 0 {
			out.forgotten = append(out.forgotten, st.Batch)
		}
	}
	out.back = map[int]Fate{}
	for _, c := range now.log {
		did := mine[c.ID] && c.Action == "apply" || mine[c.Of] && c.Action == "approve"
		switch _, stands := now.left[c.ID]; {
		case !stands:
		case did && (len(c.Files) > 0 || kept[c.ID]):
			out.changes = append(out.changes, change{c.ID, batch[c.ID]})
		case mine[c.ID] && c.Action == "undo":
			out.back[batch[c.Of]] = TakenBack
		case mine[c.ID] && c.Action == "reject":
			out.back[c.Of] = cmp.Or(out.back[c.Of], Dropped)
		}
	}
	for _, id := range slices.Backward(now.waiting) {
		if mine[id] {
			out.waits = append(out.waits, id)
		}
	}
	return out
}

// takeBack undoes the dream's changes, the newest first, and then rejects its pending ones. It sets the
// result in each step. did reports whether anything was undone.
func (u *undo) takeBack(ctx context.Context, l *Log, mine remaining) (did bool, err error) {
	stays := map[int][]Stay{} // by batch
	try := func(c change, how func(context.Context, int, string, string, ...string) (*plan.Report, error)) error {
		_, err := how(ctx, c.id, author(l.ID), "undo of dream "+l.ID)
		switch {
		case err == nil, errors.Is(err, store.ErrNothing): // it was in counters of an entry that is merged into another, which stays
		case ctx.Err() != nil || stops(err):
			return fmt.Errorf("change %d of %s: %w", c.id, l.ID, err)
		default:
			stays[c.batch] = append(stays[c.batch], stayOf(c.id, err))
		}
		return nil
	}
	for _, id := range mine.forgotten {
		stays[id] = append(stays[id], Stay{Change: id, Why: "its record in the journal cannot be read"})
	}
	for _, c := range mine.changes {
		if err := try(c, u.Store.Undo); err != nil {
			return false, err
		}
	}
	now, err := readJournal(u.Store) // what was approved waits again
	if err != nil {
		return false, err
	}
	for _, id := range l.remaining(now).waits {
		if len(stays[id]) > 0 {
			continue // somebody may still look at it
		}
		if err := try(change{id, id}, u.Store.Reject); err != nil {
			return false, err
		}
	}
	if now, err = readJournal(u.Store); err != nil {
		return false, err
	}
	back := l.remaining(now).back
	for i := range l.Steps {
		s := &l.Steps[i]
		was, fate := s.Undo, back[s.Batch]
		s.Stays = stays[s.Batch]
		switch {
		case s.Status == Failed:
		case s.Action == MergeInto:
			s.Undo = TakenBack
		case len(s.Stays) > 0:
			s.Undo = Stayed
		default:
			s.Undo = cmp.Or(fate, Already)
			did = did || fate != "" && fate != was
		}
	}
	return did, nil
}

// stayOf says why a change stays.
func stayOf(id int, err error) Stay {
	s := Stay{Change: id, Why: err.Error()}
	if changed, ok := errors.AsType[*store.UndoConflict](err); ok && len(changed.Files) > 0 {
		for _, f := range changed.Files {
			s.Files = append(s.Files, f.Path)
		}
		s.Why = "changed since: " + strings.Join(s.Files, ", ")
	} else if why, ok := refusal(err); ok {
		s.Why = why
	}
	return s
}

// Stays are the changes of an undone dream that could not be undone.
func (l *Log) Stays() (out []Stay) {
	for _, s := range l.Steps {
		out = append(out, s.Stays...)
	}
	return out
}
