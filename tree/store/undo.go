package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// Undo reverts a batch, or the named files of it, byte for byte. If some of its files were reverted already,
// it reverts the others. It fails with [*UndoConflict], and changes nothing, if a file was changed since. The
// undo is itself a batch, which can be undone. If the batch was held and then decided, the error names the
// change that did so.
func (s *Store) Undo(ctx context.Context, id int, author, reason string, paths ...string) (*plan.Report, error) {
	m := meta{Action: actUndo, Author: plan.ClearText(author), Of: id, Reason: plan.ClearText(reason)}
	var took plan.Undone
	take := func(files []string) (*plan.Report, error) {
		return s.revert(ctx, id, m, files, &took, func() []txn.Change { return s.Reviews.close(id, paths) })
	}
	report, err := take(paths)
	var conflict *UndoConflict
	again := len(paths) == 0 && errors.As(err, &conflict) // with what was taken back before, perhaps
	if again || errors.Is(err, ErrNothing) {
		log, lost := s.Log(0)
		if lost != nil {
			return nil, lost
		}
		if files, part := left(log, id); again && part {
			report, err = take(files)
		}
		if errors.Is(err, ErrNothing) {
			return nil, decided(log, id)
		}
	}
	if report != nil {
		report.Undone = &took
	}
	return report, err
}

// ErrNothing: a batch has no effect that could be taken back, or what it did is not there any more.
var ErrNothing = errors.New("nothing to undo")

// UndoConflict is the error for a file that was changed since the batch.
type UndoConflict struct {
	Batch int
	Files []ConflictFile
}

// ConflictFile are the three versions of a file in conflict; "" where there is no file.
type ConflictFile struct {
	Path    string `json:"path"`    // the path in the tree
	Base    string `json:"base"`    // as the batch left it
	Current string `json:"current"` // as it is
	Wanted  string `json:"wanted"`  // as it was before the batch
}

// Error names the files.
func (e *UndoConflict) Error() string {
	if len(e.Files) == 0 {
		return fmt.Sprintf("batch %d was not changed: somebody else has just reviewed it", e.Batch)
	}
	list := make([]string, len(e.Files))
	for i, f := range e.Files {
		list[i] = f.Path
		if len(format.Conflicts(f.Current)) > 0 {
			list[i] += " (in merge conflict: resolve it first)"
		}
	}
	return fmt.Sprintf("batch %d was not undone because these files changed later: %s", e.Batch, words.AtMost(list, 5))
}

// revert writes the inverse of a record, or of the part of it that concerns the paths. It describes that part
// in took, if that is not nil; also adds to the same transaction.
func (s *Store) revert(ctx context.Context, id int, m meta, paths []string, took *plan.Undone,
	also func() []txn.Change) (*plan.Report, error) {
	before := s.Snapshot()
	var inverse []txn.Change
	header, kept, err := s.journal.Commit(ctx, func(int) (any, []txn.Change, error) {
		rec, err := s.journal.Load(id)
		if errors.Is(err, txn.ErrNoRecord) {
			return nil, nil, s.noRecord(id, err)
		}
		if err != nil {
			return nil, nil, err
		}
		var of meta
		if err := json.Unmarshal(rec.Meta, &of); err != nil {
			return nil, nil, fmt.Errorf("batch %d: %w", id, err)
		}
		if inverse, err = treeChanges(rec, of, paths); err != nil {
			return nil, nil, err
		}
		if inverse, err = s.withOverviews(before, inverse); err != nil {
			return nil, nil, err
		}
		next := map[string]string{}
		for _, c := range inverse {
			at, _ := cutDir(c.Path)
			next[at] = textOf(c.After)
		}
		if err := s.inputs(false).CheckSaved(next); err != nil {
			return nil, nil, err
		}
		usage, changes, err := s.counters.changes(inverseUsage(of.Usage, inverse, len(paths) == 0))
		if err != nil {
			return nil, nil, err
		}
		m.Usage = usage
		again := s.Reviews.reopened(rec, of, paths)
		if took != nil {
			*took = plan.Undone{ID: id, Action: string(of.Action), Of: of.Of, About: of.about(), WaitsAgain: len(again) > 0}
		}
		all := slices.Concat(inverse, changes, also(), again)
		if len(all) == 0 {
			return nil, nil, ErrNothing
		}
		return m, all, nil
	})
	if conflict, ok := errors.AsType[*txn.ConflictError](err); ok {
		return nil, s.undoConflict(id, inverse, conflict.Paths)
	}
	if err != nil {
		return nil, err
	}
	report := &plan.Report{Batch: header.ID, Results: []plan.Result{}, Files: changedFiles(header), Kept: inTreePaths(kept)}
	err = s.show(ctx, header)
	report.Dangling = plan.Redacted(plan.NowDangling(before, s.Snapshot(), report.Files))
	if gone := plan.Moved(before, s.Snapshot(), report.Files); len(gone) > 0 {
		report.Comments = s.inputs(true).Stranded(before, s.Snapshot(), gone)
	}
	return report, err
}

// withOverviews corrects an inverse so that an overview is removed only with the last entry of its folder. An
// overview that the change made stays while other entries are left. An overview that an earlier undo left for
// the sake of the entries that go now is removed with them.
func (s *Store) withOverviews(snap *tree.Snapshot, inverse []txn.Change) ([]txn.Change, error) {
	gone, left := map[string]bool{}, map[string]bool{} // left: folders
	stays := func(at string) {
		for dir := path.Dir(at); format.RoleOf(at) == format.RoleEntry && dir != "." && !left[dir]; dir = path.Dir(dir) {
			left[dir] = true
		}
	}
	for _, c := range inverse {
		at, _ := cutDir(c.Path)
		if gone[at] = c.After == nil; !gone[at] {
			stays(at) // it comes back
		}
	}
	for _, e := range snap.Entries() {
		if !gone[e.Path] {
			stays(e.Path)
		}
	}
	for _, k := range snap.Skipped() {
		stays(k.Path)
	}
	inverse = slices.DeleteFunc(inverse, func(c txn.Change) bool {
		at, _ := cutDir(c.Path)
		return c.After == nil && format.RoleOf(at) == format.RoleOverview && left[path.Dir(at)]
	})
	alone := map[string]string{} // overviews of folders in which nothing is left, with their texts
	for at, removed := range gone {
		for dir := path.Dir(at); removed && dir != "." && !left[dir]; dir = path.Dir(dir) {
			if e, ok := snap.Entry(dir + "/context.md"); ok && !gone[e.Path] {
				alone[e.Path] = e.Text
			}
		}
	}
	if len(alone) == 0 {
		return inverse, nil
	}
	log, err := s.Log(0)
	stands := Remaining(log)
	for _, l := range log {
		if _, ok := stands[l.ID]; ok || !l.Undoable || !slices.ContainsFunc(l.Files, func(f string) bool { return alone[f] != "" }) {
			continue
		}
		rec, err := s.journal.Load(l.ID)
		if err != nil {
			return nil, err
		}
		for _, c := range rec.Changes {
			if at, _ := cutDir(c.Path); c.Before == nil && c.After != nil && alone[at] == string(c.After.Data) {
				inverse = append(inverse, txn.Change{Path: c.Path, Before: c.After})
				delete(alone, at)
			}
		}
	}
	return inverse, err
}

// noRecord explains why a change has no record: it is too old, or there never was such a change.
func (s *Store) noRecord(id int, err error) error {
	made, lost := s.journal.Headers(id)
	if _, was := made[id]; lost == nil && was {
		return fmt.Errorf("change %d is too old to undo: only the last %d changes can be undone", id, keptChanges)
	}
	return fmt.Errorf("%w; `brv-lsp log` lists the changes", err)
}

// treeChanges is the inverse of a record's changes of entries; state files have an inverse of their own. Part
// of a batch can be reverted only if no other operation of it changed the same files.
func treeChanges(rec *txn.Record, of meta, paths []string) ([]txn.Change, error) {
	known := map[string]bool{}
	var out []txn.Change
	for _, c := range rec.Inverse() {
		at, ok := cutDir(c.Path)
		known[at] = ok
		if ok && (len(paths) == 0 || slices.Contains(paths, at)) {
			out = append(out, c)
		}
	}
	for _, p := range paths {
		if !known[p] {
			return nil, fmt.Errorf("batch %d did not change %s", rec.ID, p)
		}
	}
	if together := of.together(paths, known); len(paths) > 0 && len(together) > len(paths) {
		return nil, fmt.Errorf("batch %d changed %s together with other files; undo them together: %s", rec.ID, words.AtMost(paths, 3),
			strings.Join(together, ","))
	}
	return out, nil
}

// together lists the paths with all other files changed by the operations that changed them, and so on,
// sorted.
func (m meta) together(paths []string, changed map[string]bool) []string {
	set := map[string]bool{}
	for _, p := range paths {
		set[p] = true
	}
	for grown := true; grown; {
		grown = false
		for _, r := range m.Results {
			files := append([]string{r.FilePath}, r.AlsoChanged...)
			if r.Status != plan.StatusSuccess || !slices.ContainsFunc(files, func(f string) bool { return set[f] }) {
				continue
			}
			for _, f := range files {
				if changed[f] && !set[f] {
					set[f], grown = true, true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// inverseUsage inverts a record's changes of counters: all of them, or those of the reverted files.
func inverseUsage(steps map[string]usageStep, files []txn.Change, all bool) map[string]usageStep {
	out := map[string]usageStep{}
	if all {
		for at, st := range steps {
			out[at] = usageStep{st.After, st.Before}
		}
		return out
	}
	for _, c := range files {
		at, _ := cutDir(c.Path)
		if st, ok := steps[at]; ok {
			out[at] = usageStep{st.After, st.Before}
		}
	}
	return out
}

func (s *Store) undoConflict(id int, inverse []txn.Change, paths []string) error {
	e := &UndoConflict{Batch: id}
	for _, c := range inverse {
		if at, _ := cutDir(c.Path); slices.Contains(paths, c.Path) {
			current, _ := s.root.ReadFile(c.Path, format.MaxFileSize) // an unreadable file is treated as missing and stays
			e.Files = append(e.Files, ConflictFile{at, textOf(c.Before), string(current), textOf(c.After)})
		}
	}
	return e
}

// UndoLast reverts the newest change of entries or decision that was not fully reverted, or the rest of it;
// see [Store.Undo]. A waiting proposal does not count.
func (s *Store) UndoLast(ctx context.Context, author, reason string, paths ...string) (*plan.Report, error) {
	log, err := s.Log(0)
	if err != nil {
		return nil, err
	}
	can := undoable(log)
	if len(can) == 0 {
		if old := outlived(log); old != 0 {
			return nil, fmt.Errorf(
				"there is nothing to undo: only the last %d changes can be undone, and the newest change still in effect, "+
					"%d, is older", keptChanges, old)
		}
		return nil, errors.New("there is nothing to undo: no change is in effect. To drop waiting changes, reject them")
	}
	if len(paths) == 0 {
		paths = can[0].left
	}
	return s.Undo(ctx, can[0].id, author, reason, paths...)
}

// Reject drops the held operations of the named items, or all, and reverts those that were done already byte
// for byte. If that is impossible it returns [*UndoConflict] and changes nothing. An unreadable review file
// is renamed.
func (s *Store) Reject(ctx context.Context, id int, author, reason string, paths ...string) (*plan.Report, error) {
	r, data, err := s.Reviews.load(id)
	if err != nil {
		return nil, err
	}
	chosen, rest, err := r.divide(paths)
	if err != nil {
		return nil, err
	}
	if r.unreadable {
		err := s.journal.Locked(ctx, func() error {
			_, err := s.setAside(reviewFile(id))
			return err
		})
		return &plan.Report{Results: []plan.Result{}}, err
	}
	var files []string
	results := make([]plan.Result, len(chosen))
	for i, item := range chosen {
		results[i] = plan.Result{Type: item.Op.Type, Path: item.Op.Path, Reason: item.Op.Reason, Status: plan.StatusSuccess,
			FilePath: item.Path, Message: "Rejected: nothing was changed"}
		if !item.Held && !item.Unknown {
			files = append(files, item.Files...)
			results[i].Message = "Rejected: undone"
		}
	}
	m := meta{Action: actReject, Author: plan.ClearText(author), Origin: r.Origin, Of: id, Reason: plan.ClearText(reason),
		Results: plan.Kept(results)}
	report, err := s.drop(ctx, id, m, files, []txn.Change{r.remaining(data, rest)})
	if report != nil {
		report.Results = plan.Kept(results)
	}
	return report, err
}

// drop reverts the files, if any, and closes the review in the same step.
func (s *Store) drop(ctx context.Context, id int, m meta, files []string, closing []txn.Change) (*plan.Report, error) {
	if len(files) > 0 {
		slices.Sort(files)
		return s.revert(ctx, id, m, slices.Compact(files), nil, func() []txn.Change { return closing })
	}
	h, _, err := s.journal.Commit(ctx, func(int) (any, []txn.Change, error) { return m, closing, nil })
	if err != nil {
		return nil, err
	}
	return &plan.Report{Batch: h.ID}, nil
}
