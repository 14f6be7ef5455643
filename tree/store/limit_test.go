package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// most bounds the files in the trees of these tests.
const most = 6

// full is a tree of as many files as are read.
func full() map[string]string {
	files := map[string]string{}
	for i := range most {
		files[fmt.Sprintf("a/b%d/e%d.md", i%2, i)] = fmt.Sprintf("# Entry %d\nText %d.\n", i, i)
	}
	return files
}

// limited opens a tree of which at most so many files are read.
func limited(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(t.Context(), dir, Options{Limits: Limits{Files: most}})
	if err != nil {
		t.Fatalf("a tree does not open: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func fact(at string) plan.Batch {
	op := plan.Op{Type: plan.OpUpdate, Path: at, Reason: "r",
		Content: format.Content{Facts: []format.Fact{{Statement: "The limit is six."}}}}
	return plan.Batch{Ops: []plan.Op{op}, Hold: plan.HoldNone}
}

// done does one operation that is not held.
func done(t *testing.T, s *Store, op plan.Op) *plan.Report {
	t.Helper()
	op.Reason = "r"
	return mustApply(t, s, plan.Batch{Ops: []plan.Op{op}, Hold: plan.HoldNone})
}

// TestGeneratedFilesDoNotCount: a tree that is full opens after a change as before, and the change can be undone.
func TestGeneratedFilesDoNotCount(t *testing.T) {
	dir := onDisk(t, full())
	s := limited(t, dir)
	mustApply(t, s, fact("a/b0/e0.md"))
	if written, err := s.Derive(t.Context()); err != nil || len(written) < 4 {
		t.Fatalf("generated: %v, %v", written, err)
	}
	done(t, s, plan.Op{Type: plan.OpArchive, Path: "a/b1/e1.md"})
	s = limited(t, dir)
	if st, err := s.State(); err != nil || st.Unread+st.Skipped > 0 || st.Entries != most-1 || st.Batches != 2 {
		t.Fatalf("%+v, %v", st, err)
	}
	for range 2 {
		if _, err := s.UndoLast(t.Context(), "", ""); err != nil {
			t.Fatal(err)
		}
	}
	for at, text := range full() {
		if got := tree.TextAt(s.Snapshot(), at); got != text {
			t.Errorf("%s: %q", at, got)
		}
	}
}

// TestChangesThatWouldFillATreeAreRefused: nothing is written, and every other change is made.
func TestChangesThatWouldFillATreeAreRefused(t *testing.T) {
	dir := onDisk(t, full())
	s := limited(t, dir)
	before := content(t, dir)
	for _, dry := range []bool{true, false} {
		r, err := s.Apply(t.Context(), plan.Batch{DryRun: dry, Ops: []plan.Op{
			{Type: plan.OpAdd, Path: "a/b0", Title: "One more", Reason: "r", Content: format.Content{Facts: []format.Fact{{Statement: "x"}}}}}})
		if err != nil || r.Summary.Failed != 1 || r.Results[0].Code != plan.FailFull || !strings.Contains(r.Results[0].Message, "limit: 6") {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	if diff := cmp.Diff(before, content(t, dir)); diff != "" {
		t.Errorf("a refused change wrote:\n%s", diff)
	}
	done(t, s, plan.Op{Type: plan.OpMove, Path: "a/b0/e0.md", To: "a/b1/e0.md"})
	done(t, s, plan.Op{Type: plan.OpDelete, Path: "a/b1/e1.md"})
	done(t, s, plan.Op{Type: plan.OpAdd, Path: "a/b1/e9.md", Text: "# There is room again\n"})
}

// TestHeldAdditionsAreCountedWhenApproved: what waits was proposed while there was room.
func TestHeldAdditionsAreCountedWhenApproved(t *testing.T) {
	files := full()
	delete(files, "a/b1/e5.md")
	s := limited(t, onDisk(t, files))
	held := mustApply(t, s, plan.Batch{Hold: plan.HoldAll,
		Ops: []plan.Op{{Type: plan.OpAdd, Path: "a/b1/e6.md", Text: "# Six\n", Reason: "r"}}})
	done(t, s, plan.Op{Type: plan.OpAdd, Path: "a/b1/e7.md", Text: "# Seven\n"})
	if _, err := s.Approve(t.Context(), held.Batch, "", plan.Decision{}); err == nil || !strings.Contains(err.Error(), "limit: 6") {
		t.Fatalf("approved: %v", err)
	}
	if list, err := s.Reviews.List(); err != nil || len(list) != 1 {
		t.Fatalf("it waits no more: %v, %v", list, err)
	}
	done(t, s, plan.Op{Type: plan.OpArchive, Path: "a/b1/e7.md"})
	mustApprove(t, s, held.Batch)
}

// TestATreeOverTheLimitIsNotLocked: a merge in git brought more files than are read.
func TestATreeOverTheLimitIsNotLocked(t *testing.T) {
	files := full()
	files["a/b1/e1.md"] = "# Entry 1\nSee @z/late/w2.md.\n"
	dir := onDisk(t, files)
	s := limited(t, dir)
	mustApply(t, s, fact("a/b0/e0.md"))
	held := mustApply(t, s, plan.Batch{Hold: plan.HoldAll, Ops: []plan.Op{{Type: plan.OpDelete, Path: "a/b0/e2.md", Reason: "r"}}})
	if _, err := s.Derive(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir+"/context-tree/z/late", 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		edit(t, dir, fmt.Sprintf("z/late/w%d.md", i), fmt.Sprintf("# Late %d\n", i))
	}
	edit(t, dir, "z/late/context.md", "# Topic: late\n")
	s = limited(t, dir)
	st, err := s.State()
	if err != nil || st.Entries != most || st.Unread != 4 || st.Skipped != 4 || st.Pending != 1 || st.Batches != 1 {
		t.Fatalf("%+v, %v", st, err)
	}
	skipped := s.Snapshot().Skipped()
	if want := (tree.Skipped{Path: "z/late/context.md", Reason: "the tree has more than 6 files; " +
		"3 other files of this folder were skipped too; archive or delete entries that are not needed"}); len(skipped) != 1 || skipped[0] != want {
		t.Errorf("%+v", skipped)
	}
	before := content(t, dir)
	if written, err := s.Derive(t.Context()); err != nil || len(written) > 0 {
		t.Errorf("made of a part of the tree: %v, %v", written, err)
	}
	if diff := cmp.Diff(before, content(t, dir)); diff != "" {
		t.Error(diff)
	}
	if r, err := s.Apply(t.Context(), batchOf(plan.Op{Type: plan.OpAdd, Path: "a/b0/e8.md", Text: "# More\n", Reason: "r"})); err != nil ||
		r.Results[0].Code != plan.FailFull {
		t.Fatalf("%+v, %v", r, err)
	}
	mustApply(t, s, fact("z/late/w2.md")) // which is read as it is named
	mustApprove(t, s, held.Batch)
	done(t, s, plan.Op{Type: plan.OpArchive, Path: "z/late/w0.md"})
	done(t, s, plan.Op{Type: plan.OpDelete, Path: "z/late/w1.md"})
	for range 5 {
		if _, err := s.UndoLast(t.Context(), "", ""); err != nil {
			t.Fatal(err)
		}
	}
	for at, text := range files {
		if got, err := os.ReadFile(dir + "/context-tree/" + at); err != nil || string(got) != text {
			t.Errorf("%s: %q, %v", at, got, err)
		}
	}
	for i := range 3 {
		done(t, s, plan.Op{Type: plan.OpArchive, Path: fmt.Sprintf("z/late/w%d.md", i)})
	}
	done(t, s, plan.Op{Type: plan.OpArchive, Path: "a/b0/e4.md"})
	if st, err := limited(t, dir).State(); err != nil || st.Unread+st.Skipped > 0 || st.Archived != 4 {
		t.Errorf("after archiving: %+v, %v", st, err)
	}
}

// TestAFolderOfUnreadFilesKeepsItsDescription: an undo that takes the last entry that is read leaves the overview for
// those that are not.
func TestAFolderOfUnreadFilesKeepsItsDescription(t *testing.T) {
	files := full()
	delete(files, "a/b1/e5.md")
	delete(files, "a/b0/e4.md")
	dir := onDisk(t, files)
	s := limited(t, dir)
	added := mustApply(t, s, plan.Batch{Hold: plan.HoldNone, Ops: []plan.Op{
		{Type: plan.OpAdd, Path: "a/c", Title: "First", Reason: "r", TopicContext: &plan.TopicContext{Overview: "All of c."},
			Content: format.Content{Facts: []format.Fact{{Statement: "x"}}}}}})
	if len(added.Files) != 2 {
		t.Fatalf("%+v", added)
	}
	edit(t, dir, "a/c/yet_another.md", "# Yet another\n")
	s = limited(t, dir)
	if _, err := s.Undo(t.Context(), added.Batch, "", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir + "/context-tree/a/c/context.md"); err != nil {
		t.Error(err)
	}
}

// TestAReviewThatCouldNotBeReadIsRefused: what waits can be decided.
func TestAReviewThatCouldNotBeReadIsRefused(t *testing.T) {
	dir := onDisk(t, map[string]string{"a/b/long.md": strings.Repeat("Many words.\n", 1000)})
	s, err := Open(t.Context(), dir, Options{Limits: Limits{State: 10_000}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	before := content(t, dir)
	if _, err = s.Apply(t.Context(), batchOf(plan.Op{Type: plan.OpDelete, Path: "a/b/long.md", Reason: "r"})); err == nil ||
		!strings.Contains(err.Error(), "(limit: 10000); propose it in parts") {
		t.Errorf("%v", err)
	}
	if diff := cmp.Diff(before, content(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// TestCountersOfAStrangerThatAreTooLargeStopNothing: they are set aside.
func TestCountersOfAStrangerThatAreTooLargeStopNothing(t *testing.T) {
	dir := onDisk(t, map[string]string{"a/b/c.md": "# C\n"})
	at := dir + "/state/" + tree.UsageFile("a/b/c.md")
	if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, make([]byte, 1001), 0o644)); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), dir, Options{Limits: Limits{State: 1000}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Credit(t.Context(), "a/b/c.md"); err != nil {
		t.Error(err)
	}
	mustApply(t, s, fact("a/b/c.md"))
	if _, err := os.Stat(at + foreign); err != nil {
		t.Error(err)
	}
}
