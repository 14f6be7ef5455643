package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/derived"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

const torn = "# X\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> feature\n"

// TestNothingIsTakenBackIntoAConflict merges into an entry after a change, and after a proposal.
func TestNothingIsTakenBackIntoAConflict(t *testing.T) {
	dir := onDisk(t, small)
	s := opened(t, dir)
	done := mustApply(t, s, plan.Batch{Ops: []plan.Op{{Type: plan.OpUpdate, Path: "a/b/x.md", Summary: "new", Reason: "r"}}})
	held := mustApply(t, s, plan.Batch{Hold: plan.HoldAll, Ops: []plan.Op{{Type: plan.OpUpdate, Path: "a/b/x.md", Summary: "newer",
		Reason: "r"}}})
	edit(t, dir, "a/b/x.md", torn)
	if _, err := s.Refresh(t.Context(), "a/b/x.md"); err != nil {
		t.Fatal(err)
	}
	before := content(t, dir)
	if _, err := s.Undo(t.Context(), done.Batch, "u", ""); err == nil ||
		!strings.Contains(err.Error(), "a/b/x.md (in merge conflict: resolve it first)") {
		t.Errorf("undo: %v", err)
	}
	r, err := s.Approve(t.Context(), held.Batch, "u", plan.Decision{})
	if err != nil || r.Summary.Failed != 1 || !strings.Contains(r.Results[0].Message, "a/b/x.md:2: merge conflict") {
		t.Errorf("approve: %+v, %v", r, err)
	}
	if _, err := s.Approve(t.Context(), held.Batch, "u", plan.Decision{Texts: map[string]string{"a/b/x.md": torn}}); err == nil ||
		!strings.Contains(err.Error(), "a/b/x.md:2: merge conflict") {
		t.Errorf("approve another text: %v", err)
	}
	if diff := cmp.Diff(before, content(t, dir)); diff != "" {
		t.Errorf("something was written:\n%s", diff)
	}
}

// TestGeneratedFilesInConflictAreMadeAgain puts markers where a merge of generated files leaves them.
func TestGeneratedFilesInConflictAreMadeAgain(t *testing.T) {
	dir := onDisk(t, small)
	s := opened(t, dir)
	mustApply(t, s, plan.Batch{Ops: []plan.Op{{Type: plan.OpUpdate, Path: "a/b/x.md", Summary: "new", Reason: "r"}}})
	if _, err := s.Derive(t.Context()); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, tree.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	for _, name := range []string{"a/b/_index.md", "_manifest.json"} {
		want := read(name)
		edit(t, dir, name, "<<<<<<< HEAD\n"+want+"=======\n"+want+">>>>>>> feature\n")
		if _, err := s.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, item := range derived.NewManifest(s.Snapshot(), testNow, nil).ActiveContext {
			if item.Path == name {
				t.Errorf("%s is shown to models", name)
			}
		}
		if _, err := s.Derive(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := read(name); strings.Contains(got, "<<<<<<<") || name == "a/b/_index.md" && got != want {
			t.Errorf("%s (-want +got):\n%s", name, cmp.Diff(want, got))
		}
	}
}

// TestConflictsKeepNeighboursWhole: what names an entry in conflict still leads to it, and what it
// names is still named.
func TestConflictsKeepNeighboursWhole(t *testing.T) {
	s := tree.NewSnapshot([]*format.Entry{
		format.Parse(
			"a/b/torn.md",
			"<<<<<<< HEAD\n@a/b/one.md @a/b/none.md\n=======\n@a/b/two.md\n>>>>>>> feature\n<<<<<<< HEAD\n=======\n>>>>>>> feature\n"),
		format.Parse("a/b/one.md", "See @a/b/torn.md#Any.\n"), format.Parse("a/b/two.md", "Two.\n"),
	}, nil)
	for _, p := range []string{"a/b/one.md", "a/b/two.md"} {
		if found := s.Problems(p); len(found) > 0 || len(s.Backlinks(p)) != 1 {
			t.Errorf("%s: %v, named by %v", p, found, s.Backlinks(p))
		}
	}
	found := s.Problems("a/b/torn.md")
	if len(found) != 1 || found[0].Code != format.CodeConflict || len(found[0].Others) != 1 ||
		found[0].Others[0].At.Start <= found[0].At.End {
		t.Errorf("%+v", found)
	}
}
