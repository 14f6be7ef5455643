package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// Logged is one change of the journal.
type Logged struct {
	ID       int           `json:"id"`
	Time     time.Time     `json:"time"`
	Action   string        `json:"action"` // apply, approve, reject or undo
	Author   string        `json:"author,omitempty"`
	Origin   format.Origin `json:"origin,omitzero"` // the origin of the text, if it is not a person's
	Of       int           `json:"of,omitempty"`    // the number of the batch that was approved, rejected or undone
	Reasons  []string      `json:"reasons"`
	Files    []string      `json:"files"`           // paths in the tree
	About    []string      `json:"about,omitempty"` // paths in the tree that it proposed or decided without changing a file
	Undoable bool          `json:"undoable"`        // the batch can be undone

	foreign bool // not written by this user
}

// about lists the tree paths that were changed, held or decided, each once.
func (m meta) about() (out []string) {
	for _, r := range m.Results {
		if r.Status != plan.StatusFailed && r.FilePath != "" && !slices.Contains(out, r.FilePath) {
			out = append(out, r.FilePath)
		}
	}
	return out
}

// Log yields the audit log, newest first, at most limit changes (0: all).
func (s *Store) Log(limit int) ([]Logged, error) {
	records, err := s.journal.Records()
	if err != nil {
		return nil, err
	}
	kept := map[int]bool{}
	for _, h := range records {
		kept[h.ID] = true
	}
	var out []Logged
	for h, err := range s.journal.Audit() {
		if err != nil { // one bad line must not hide the others
			unreadable := []string{"unreadable: " + err.Error()}
			out = append(out, Logged{ID: h.ID, Reasons: unreadable, Files: []string{}, foreign: errors.Is(err, txn.ErrForeign)})
			continue
		}
		out = append(out, logged(h, kept[h.ID]))
	}
	slices.Reverse(out)
	if limit > 0 && len(out) > limit {
		out = out[:limit]
	}
	return out, nil
}

func logged(h txn.Header, undoable bool) Logged {
	var m meta
	if err := json.Unmarshal(h.Meta, &m); err != nil {
		m = meta{Reason: "unreadable: " + err.Error()}
	}
	l := Logged{ID: h.ID, Time: h.Time, Action: string(m.Action), Author: m.Author, Origin: m.Origin, Of: m.Of, Reasons: []string{},
		Files: changedFiles(h), Undoable: undoable}
	l.About = slices.DeleteFunc(m.about(), func(p string) bool { return slices.Contains(l.Files, p) })
	if m.Reason != "" {
		l.Reasons = append(l.Reasons, m.Reason)
	}
	for i, op := range m.Ops {
		if i < len(m.Results) && m.Results[i].Status != plan.StatusFailed {
			l.Reasons = append(l.Reasons, op.Reason)
		}
	}
	if len(m.Edited) > 0 {
		by := ""
		if !m.EditedBy.Human() {
			by = " " + format.Provenance{Origin: m.EditedBy}.String()
		}
		l.Reasons = append(l.Reasons, "edited before approval"+by+": "+words.AtMost(m.Edited, 5))
	}
	return l
}

// Remaining returns, by number, the changes of a log (newest first) that are still in effect at least in
// part, with the files that no undo or rejection reverted. An undo that was itself undone counts, to that
// extent, as never made.
func Remaining(log []Logged) map[int][]string {
	out := map[int][]string{}
	back := map[int]map[string]bool{} // by batch: the files that were reverted
	whole := map[int]bool{}           // batches without files that were reverted
	for _, l := range log {
		left := slices.DeleteFunc(slices.Clone(l.Files), func(f string) bool { return back[l.ID][f] })
		if whole[l.ID] || len(left) < len(l.Files) && !slices.ContainsFunc(left, func(f string) bool { return format.RoleOf(f) != format.RoleOverview }) {
			continue // a reverted change leaves overviews that others need
		}
		out[l.ID] = left
		undo := l.Action == string(actUndo)
		if !undo && l.Action != string(actReject) {
			continue
		}
		if back[l.Of] == nil {
			back[l.Of] = map[string]bool{}
		}
		for _, f := range left {
			back[l.Of][f] = true
		}
		whole[l.Of] = whole[l.Of] || undo && len(l.Files) == 0
	}
	return out
}

// maxDecisions bounds the part of the log that is searched for decisions: older ones were about another
// state.
const maxDecisions = 200

// Rejections lists, by path, the rejected proposals about tree paths if that was the last decision about the
// path.
func (s *Store) Rejections(paths []string) (map[string]Logged, error) {
	log, err := s.Log(maxDecisions)
	if err != nil {
		return nil, err
	}
	out, stands := map[string]Logged{}, Remaining(log)
	for _, at := range paths {
		last := slices.IndexFunc(log, func(l Logged) bool {
			left, ok := stands[l.ID]
			return ok && (l.Action == string(actReject) || l.Action == string(actApprove)) &&
				(slices.Contains(l.About, at) || slices.Contains(left, at))
		})
		if last >= 0 && log[last].Action == string(actReject) {
			out[at] = log[last]
		}
	}
	return out, nil
}

// outlived is the newest change or decision of a log that is in effect but too old to be undone, 0 if there
// is none.
func outlived(log []Logged) int {
	stands := Remaining(log)
	for _, l := range log {
		if _, ok := stands[l.ID]; ok && !l.Undoable && l.ID != 0 && l.Action != string(actUndo) && (len(l.Files) > 0 || l.Of != 0) {
			return l.ID
		}
	}
	return 0
}

// taken is a change or decision that can be undone.
type taken struct {
	id   int
	left []string // the files that were not reverted yet; nil for all
}

// undoable lists the changes and decisions of a log, newest first, that repeated undos without a number
// revert.
func undoable(log []Logged) (out []taken) {
	stands := Remaining(log)
	for _, l := range log {
		left, ok := stands[l.ID]
		if !ok || l.Action == string(actUndo) || !l.Undoable {
			continue
		}
		if len(l.Files) > 0 || l.Action == string(actReject) || l.Action == string(actApprove) {
			if len(left) == len(l.Files) {
				left = nil
			}
			out = append(out, taken{l.ID, left})
		}
	}
	return out
}

// left lists the files of a batch of a log that were not reverted yet; part tells that others were.
func left(log []Logged, id int) (files []string, part bool) {
	files = Remaining(log)[id]
	of := slices.IndexFunc(log, func(l Logged) bool { return l.ID == id })
	return files, of >= 0 && len(files) > 0 && len(files) < len(log[of].Files)
}

// decided returns the error for an undo of a batch without effects, with the later fate of the batch.
func decided(log []Logged, id int) error {
	stands := Remaining(log)
	var as, undo []string // the approvals that are in effect
	why := ErrNothing.Error()
	for _, l := range log { // newest first
		_, ok := stands[l.ID]
		switch {
		case l.Of != id:
		case l.Action == string(actApprove) && ok:
			as, undo = append(as, strconv.Itoa(l.ID)), append(undo, fmt.Sprintf("`undo %d`", l.ID))
		case why != ErrNothing.Error():
		case l.Action == string(actReject):
			why = fmt.Sprintf("change %d rejected it; `undo %d` reopens the review", l.ID, l.ID)
		case l.Action == string(actUndo):
			why = fmt.Sprintf("change %d undid it", l.ID)
		}
	}
	if len(as) == 0 && why == ErrNothing.Error() {
		return fmt.Errorf("change %d: %w", id, ErrNothing)
	}
	if len(as) == 0 {
		return fmt.Errorf("change %d: %s", id, why)
	}
	return fmt.Errorf("change %d was approved in change %s; to undo it, run %s", id, strings.Join(as, " and "), strings.Join(undo, " and "))
}
