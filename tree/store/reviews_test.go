package store

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// What is listed again is what would be listed from scratch, whatever changed meanwhile.
func TestListedAgainIsListedAnew(t *testing.T) {
	files := map[string]string{"a/b/x.md": "---\ntitle: X\n---\n## Facts\n- x\n", "a/b/y.md": "# Y\nSee @a/b/x.md.\n",
		"a/c/z.md": "# Z\n", "a/c/w.md": "# W\n"}
	dir := onDisk(t, files)
	open := map[string]bool{}
	s, err := Open(t.Context(), dir, Options{Now: func() time.Time { return testNow }, Inputs: func(bool) (in plan.Inputs) {
		in.Unsaved = map[string]string{}
		for at := range open {
			if open[at] {
				in.Unsaved[at] = "unsaved"
			}
		}
		return in
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	for _, op := range []plan.Op{
		{Type: plan.OpUpdate, Path: "a/b/x.md", Summary: "new"},
		{Type: plan.OpUpdate, Path: "a/b/y.md", Content: format.Content{Relations: []string{"a/c/z.md"}}},
		{Type: plan.OpConfirm, Path: "a/c/w.md"},
		{Type: plan.OpDelete, Path: "a/b/x.md"},
		{Type: plan.OpMove, Path: "a/c/z.md", To: "a/b/z.md"},
		{Type: plan.OpAdd, Path: "a/c", Title: "V", Summary: "v"},
		{Type: plan.OpMerge, Path: "a/c/w.md", MergeTarget: "a/c/z.md"},
	} {
		op.Reason = "r"
		mustApply(t, s, plan.Batch{Origin: byModel, Ops: []plan.Op{op}})
	}
	told := func() string {
		list, err := s.Reviews.List()
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.MarshalIndent(list, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	seen := map[string]bool{}
	for step, change := range []func(){
		func() {},
		func() { open["a/b/x.md"] = true },
		func() { open["a/b/x.md"] = false },
		func() { person(t, s, plan.Op{Type: plan.OpUpdate, Path: "a/c/z.md", Summary: "by hand"}) },
		func() { person(t, s, plan.Op{Type: plan.OpAdd, Path: "a/c", Title: "V", Summary: "first"}) },
		func() { person(t, s, plan.Op{Type: plan.OpUpdate, Path: "a/b/x.md", Summary: "by hand"}) },
		func() { open["a/c/w.md"] = true },
		func() { person(t, s, plan.Op{Type: plan.OpDelete, Path: "a/c/z.md"}) },
		func() {
			if _, err := s.Reject(t.Context(), 1, "ada", "no"); err != nil {
				t.Fatal(err)
			}
		},
	} {
		change()
		got := told()
		s.Reviews.planned = nil
		if want := told(); got != want {
			t.Fatalf("step %d: listed\n%s\nanew\n%s", step, got, want)
		}
		seen[got] = true
	}
	if len(seen) < 7 {
		t.Errorf("only %d lists differ: the steps change nothing", len(seen))
	}
}

func person(t *testing.T, s *Store, op plan.Op) {
	t.Helper()
	op.Reason = "r"
	if r := mustApply(t, s, plan.Batch{Hold: plan.HoldNone, Ops: []plan.Op{op}}); r.Summary.Failed > 0 {
		t.Fatal(fmt.Sprint(r.Results))
	}
}

// TestEditedWhileListed changes an entry between the look at a review that was planned before and its
// being listed: the next list knows.
func TestEditedWhileListed(t *testing.T) {
	dir := onDisk(t, map[string]string{"a/b/x.md": "---\ntitle: X\n---\n## Facts\n- x\n", "a/c/z.md": "---\ntitle: Z\n---\n# Z\n"})
	meanwhile := func() {}
	s, err := Open(t.Context(), dir, Options{Now: func() time.Time { return testNow },
		Inputs: func(bool) plan.Inputs { meanwhile(); return plan.Inputs{} }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	for _, at := range []string{"a/b/x.md", "a/c/z.md"} {
		mustApply(t, s, plan.Batch{Origin: byModel, Ops: []plan.Op{{Type: plan.OpUpdate, Path: at, Summary: "new", Reason: "r"}}})
	}
	blocked := func() string {
		t.Helper()
		list, err := s.Reviews.List()
		if err != nil {
			t.Fatal(err)
		}
		return list[0].Items[0].Blocked
	}
	if is := blocked(); is != "" {
		t.Fatal(is)
	}
	meanwhile = func() {
		meanwhile = func() {}
		name := filepath.Join(dir, tree.Dir, "a/b/x.md")
		if err := os.WriteFile(name, []byte("---\ntitle: X\nsummary: by hand\n---\n## Facts\n- x\n- y\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Refresh(t.Context(), "a/b/x.md"); err != nil {
			t.Fatal(err)
		}
	}
	blocked()
	if is := blocked(); is == "" {
		t.Error("a review of a text that is no more can be approved")
	}
}
