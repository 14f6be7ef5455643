package store

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// TestUndoRestoresEveryByte does the batches of the operations' data on disk. The
// tree must be what the plan says, and undoing must bring back every byte, mode
// and time; undoing that must do it all again.
func TestUndoRestoresEveryByte(t *testing.T) {
	for name, a := range archives(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			files, b := split(t, a)
			b.Hold = plan.HoldNone
			dir := onDisk(t, files)
			s := opened(t, dir)
			before := content(t, dir)
			want := plan.New(s.Snapshot(), b, plan.Inputs{Now: plan.Stamp(testNow)})
			r, err := s.Apply(t.Context(), b)
			if err != nil {
				t.Fatal(err)
			}
			if r.Batch == 0 {
				return // nothing succeeds in this batch
			}
			compareTrees(t, want.After, s.Snapshot())
			compareTrees(t, want.After, opened(t, dir).Snapshot())
			after := content(t, dir)
			u, err := s.Undo(t.Context(), r.Batch, "test", "taken back")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, content(t, dir)); diff != "" {
				t.Errorf("undo (-before +after it):\n%s", diff)
			}
			if _, err := s.Undo(t.Context(), u.Batch, "test", "done again"); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(after, content(t, dir)); diff != "" {
				t.Errorf("undo of the undo:\n%s", diff)
			}
		})
	}
}

// A batch that only held something has nothing to undo once that is decided.
func TestUndoOfWhatWasDecidedSaysByWhich(t *testing.T) {
	type step = func(s *Store) (*plan.Report, error)
	approve := func(paths ...string) step {
		return func(s *Store) (*plan.Report, error) {
			return s.Approve(t.Context(), 1, "lead", plan.Decision{Paths: paths})
		}
	}
	reject := func(s *Store) (*plan.Report, error) { return s.Reject(t.Context(), 1, "lead", "no") }
	undo := func(id int) step {
		return func(s *Store) (*plan.Report, error) { return s.Undo(t.Context(), id, "lead", "r") }
	}
	for want, steps := range map[string][]step{
		"":                            nil, // it is withdrawn
		"change 1: change 2 undid it": {undo(1)},
		"change 1: change 2 rejected it; `undo 2` reopens the review":                    {reject},
		"change 1 was approved in change 2; to undo it, run `undo 2`":                    {approve()},
		"change 1 was approved in change 4; to undo it, run `undo 4`":                    {approve(), undo(2), approve()},
		"change 1 was approved in change 3 and 2; to undo it, run `undo 3` and `undo 2`": {approve("a/b/y.md"), approve()},
	} {
		t.Run(want, func(t *testing.T) {
			dir := onDisk(t, small)
			s := opened(t, dir)
			mustApply(t, s, plan.Batch{Ops: []plan.Op{{Type: plan.OpDelete, Path: "a/b/y.md", Reason: "r"},
				{Type: plan.OpDelete, Path: "a/c/z.md", Reason: "r"}}})
			for i, do := range steps {
				if _, err := do(s); err != nil {
					t.Fatalf("step %d: %v", i, err)
				}
			}
			before, log := content(t, dir), mustLog(t, s)
			_, err := s.Undo(t.Context(), 1, "lead", "r")
			if want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
			if diff := cmp.Diff(before, content(t, dir)); diff != "" || mustLog(t, s) != log {
				t.Errorf("something was written:\n%s", diff)
			}
		})
	}
}

func TestUndoAfterAnEditIsAConflict(t *testing.T) {
	dir := onDisk(t, small)
	s := opened(t, dir)
	r := mustApply(t, s, plan.Batch{Ops: []plan.Op{
		{Type: plan.OpUpdate, Path: "a/b/x.md", Summary: "new", Reason: "r"},
		{Type: plan.OpUpdate, Path: "a/b/y.md", Summary: "new", Reason: "r"},
	}})
	edit(t, dir, "a/b/x.md", "mine\n")
	before := content(t, dir)
	_, err := s.Undo(t.Context(), r.Batch, "u", "")
	var conflict *UndoConflict
	if !errors.As(err, &conflict) || len(conflict.Files) != 1 {
		t.Fatalf("%v", err)
	}
	if f := conflict.Files[0]; f.Path != "a/b/x.md" || f.Current != "mine\n" || f.Wanted != small["a/b/x.md"] ||
		!strings.Contains(f.Base, "summary: new") {
		t.Errorf("%+v", f)
	}
	if diff := cmp.Diff(before, content(t, dir)); diff != "" {
		t.Errorf("a refused undo changed:\n%s", diff)
	}
	if _, err := s.Undo(t.Context(), r.Batch, "u", "", "a/b/y.md"); err != nil {
		t.Fatal(err)
	}
	if e, _ := s.Snapshot().Entry("a/b/y.md"); e.Text != small["a/b/y.md"] {
		t.Errorf("y is %q", e.Text)
	}
	if _, err := s.Undo(t.Context(), r.Batch, "u", "", "a/c/z.md"); err == nil {
		t.Error("undid a file that the batch did not change")
	}
}

// A decision about one operation must not undo another's work on the same file.
func TestPartOfABatchIsTakenBackOnlyWhereItStandsAlone(t *testing.T) {
	dir := onDisk(t, small)
	s := opened(t, dir)
	r := mustApply(t, s, plan.Batch{Hold: plan.HoldNone, Ops: []plan.Op{
		{Type: plan.OpUpdate, Path: "a/c/z.md", Summary: "s", Reason: "r"},
		{Type: plan.OpMove, Path: "a/b/x.md", To: "a/b/x2.md", Reason: "r"},
	}})
	before := content(t, dir)
	for _, p := range []string{"a/b/x2.md", "a/c/z.md"} {
		if _, err := s.Undo(t.Context(), r.Batch, "", "", p); err == nil || !strings.Contains(err.Error(), "together") {
			t.Errorf("undo of %s: %v", p, err)
		}
	}
	if diff := cmp.Diff(before, content(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// Decisions of one batch are taken back in any order: what each was about waits again.
func TestEarlierDecisionIsTakenBack(t *testing.T) {
	s := opened(t, onDisk(t, small))
	held := mustApply(t, s, plan.Batch{Hold: plan.HoldAll, Ops: []plan.Op{
		{Type: plan.OpUpdate, Path: "a/b/x.md", Summary: "s", Reason: "r"}, {Type: plan.OpUpdate, Path: "a/b/y.md", Summary: "s",
			Reason: "r"}, {Type: plan.OpUpdate, Path: "a/c/z.md", Summary: "s", Reason: "r"},
	}})
	waits := func() (paths []string) {
		t.Helper()
		all, err := s.Reviews.List()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			for _, item := range r.Items {
				paths = append(paths, item.Path)
			}
		}
		return paths
	}
	for _, c := range []struct {
		decide func(path string) (*plan.Report, error)
		paths  []string
	}{
		{func(p string) (*plan.Report, error) {
			return s.Approve(t.Context(), held.Batch, "u", plan.Decision{Paths: []string{p}})
		}, []string{"a/b/x.md", "a/b/y.md"}},
		{func(p string) (*plan.Report, error) { return s.Reject(t.Context(), held.Batch, "u", "", p) },
			[]string{"a/b/y.md", "a/b/x.md", "a/c/z.md"}},
	} {
		var decisions []int
		for _, p := range c.paths {
			r, err := c.decide(p)
			if err != nil {
				t.Fatal(err)
			}
			decisions = append(decisions, r.Batch)
		}
		for i, id := range decisions {
			r, err := s.Undo(t.Context(), id, "u", "")
			if err != nil || !r.Undone.WaitsAgain || !slices.Contains(waits(), c.paths[i]) {
				t.Errorf("undo of the decision about %s: %+v, %v, %v waits", c.paths[i], r, err, waits())
			}
		}
		if got := slices.Sorted(slices.Values(waits())); !slices.Equal(got, []string{"a/b/x.md", "a/b/y.md", "a/c/z.md"}) {
			t.Errorf("after all are taken back %v waits", got)
		}
	}
}

func TestTheNewestThatStands(t *testing.T) {
	s := opened(t, onDisk(t, small))
	last := func() int {
		t.Helper()
		st, err := s.State()
		if err != nil {
			t.Fatal(err)
		}
		return st.Last
	}
	mustApply(t, s, batchOf(plan.Op{Type: plan.OpUpdate, Path: "a/c/z.md", Summary: "s", Reason: "r"}))
	second := mustApply(t, s, plan.Batch{Ops: []plan.Op{
		{Type: plan.OpUpdate, Path: "a/b/x.md", Summary: "s", Reason: "r"}, {Type: plan.OpUpdate, Path: "a/c/z.md", Summary: "t",
			Reason: "r"}, {Type: plan.OpDelete, Path: "a/b/y.md", Reason: "r"},
	}})
	if _, err := s.Reject(t.Context(), second.Batch, "", ""); err != nil { // drops the deletion only
		t.Fatal(err)
	}
	if got := last(); got != second.Batch+1 {
		t.Errorf("after a rejection: %d", got)
	}
	if r, err := s.Undo(t.Context(), second.Batch+1, "", ""); err != nil || !r.Undone.WaitsAgain || r.Undone.Action != "reject" ||
		!slices.Equal(r.Undone.About, []string{"a/b/y.md"}) {
		t.Errorf("undo of the rejection: %+v, %v", r, err)
	}
	if got := last(); got != second.Batch {
		t.Errorf("after the rejection was taken back: %d", got)
	}
	if _, err := s.Undo(t.Context(), second.Batch, "", "", "a/b/x.md"); err != nil {
		t.Fatal(err)
	}
	if got := last(); got != second.Batch {
		t.Errorf("after a partial undo: %d", got)
	}
	for range 2 { // what is left of the second, and the first
		if r, err := s.UndoLast(t.Context(), "", ""); err != nil || !slices.Equal(r.Files, []string{"a/c/z.md"}) {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	if st, err := s.State(); err != nil || st.Batches != 0 || st.Last != 0 {
		t.Errorf("all is taken back: %+v, %v", st, err)
	}
	if _, err := s.UndoLast(t.Context(), "", ""); err == nil {
		t.Error("something was left to undo")
	}
}

// Of an approval of which one file was taken back, the whole is the other file, and what it
// approved is not gone.
func TestUndoOfTheRest(t *testing.T) {
	dir := onDisk(t, small)
	s := opened(t, dir)
	before := content(t, dir)
	mustApply(t, s, plan.Batch{Hold: plan.HoldAll, Ops: []plan.Op{{Type: plan.OpUpdate, Path: "a/b/x.md", Summary: "s", Reason: "r"},
		{Type: plan.OpUpdate, Path: "a/c/z.md", Summary: "t", Reason: "r"}}})
	if _, err := s.Approve(t.Context(), 1, "lead", plan.Decision{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Undo(t.Context(), 2, "", "", "a/b/x.md"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Undo(t.Context(), 1, "", ""); err == nil || err.Error() != "change 1 was approved in change 2; to undo it, run `undo 2`" {
		t.Error(err)
	}
	r, err := s.Undo(t.Context(), 2, "", "")
	if err != nil || !slices.Equal(r.Files, []string{"a/c/z.md"}) {
		t.Fatalf("%+v, %v", r, err)
	}
	if diff := cmp.Diff(before, content(t, dir)); diff != "" {
		t.Error(diff)
	}
	if _, err := s.Undo(t.Context(), r.Batch, "", ""); err != nil { // both undos, in part and whole
		t.Fatal(err)
	}
	if r, err := s.UndoLast(t.Context(), "", ""); err != nil || !slices.Equal(r.Files, []string{"a/c/z.md"}) {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := s.Undo(t.Context(), 2, "", ""); !errors.As(err, new(*UndoConflict)) { // nothing of it is left
		t.Error(err)
	}
}

// The overviews of a new topic came with its first entry. That one is taken back without the others that came since:
// they stay described; with the last of them the overviews go.
func TestUndoOfTheFirstOfATopicLeavesTheOthersDescribed(t *testing.T) {
	dir := onDisk(t, small)
	s := opened(t, dir)
	before := content(t, dir)
	for _, title := range []string{"One", "Two"} {
		mustApply(t, s, plan.Batch{Hold: plan.HoldAll, Ops: []plan.Op{
			{Type: plan.OpAdd, Path: "new/topic", Title: title, Summary: "s", Reason: "r"},
		}})
	}
	for _, batch := range []int{1, 2} {
		if _, err := s.Approve(t.Context(), batch, "lead", plan.Decision{}); err != nil {
			t.Fatal(err)
		}
	}
	after := content(t, dir)
	undone, err := s.Undo(t.Context(), 3, "", "")
	if err != nil || !slices.Equal(undone.Files, []string{"new/topic/one.md"}) {
		t.Fatalf("%+v, %v", undone, err)
	}
	if _, err := s.Undo(t.Context(), 3, "", ""); !errors.As(err, new(*UndoConflict)) { // nothing of it is left
		t.Error(err)
	}
	if _, err := s.Undo(t.Context(), undone.Batch, "", ""); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(after, content(t, dir)); diff != "" {
		t.Error(diff)
	}
	for _, order := range [][]int{{3, 4}, {4, 3}} {
		var undos []int
		for _, id := range order {
			r, err := s.Undo(t.Context(), id, "", "")
			if err != nil {
				t.Fatal(err)
			}
			undos = append(undos, r.Batch)
		}
		if diff := cmp.Diff(before, content(t, dir)); diff != "" {
			t.Errorf("%v: %s", order, diff)
		}
		for _, id := range slices.Backward(undos) {
			if _, err := s.Undo(t.Context(), id, "", ""); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(after, content(t, dir)); diff != "" {
			t.Errorf("%v, done again: %s", order, diff)
		}
	}
}
