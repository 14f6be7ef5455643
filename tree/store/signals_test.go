package store

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/tree/derived"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// TestSignalsOfAHistory: the file has what the same operations and uses gave while entries
// stated their signals themselves. Where they are counted makes no difference to what they are.
func TestSignalsOfAHistory(t *testing.T) {
	now := time.Date(2026, 3, 6, 12, 0, 0, 0, time.UTC)
	dir := onDisk(t, map[string]string{
		"a/b/old.md": "---\ntitle: Old\nsummary: s\ntags: [x]\nimportance: 82\nrecency: 0.9\nmaturity: validated\naccessCount: " +
			"4\nupdateCount: 2\n" +
			"createdAt: '2026-01-02T00:00:00.000Z'\nupdatedAt: '2026-03-01T00:00:00.000Z'\n---\n## Reason\nfirst\n\n## Facts\n- " +
			"**k**: one\n",
		"a/b/plain.md": "---\ntitle: Plain\ncreatedAt: '2026-02-01T00:00:00.000Z'\nupdatedAt: " +
			"'2026-02-10T00:00:00.000Z'\n---\nText.\n",
		"a/b/timeless.md": "Only text, see @a/b/plain.md.\n",
		"a/c/same.md": "---\ntitle: Same\nimportance: 30\nrecency: 1\nmaturity: draft\naccessCount: 1\nupdateCount: " +
			"1\nupdatedAt: '2026-03-05T00:00:00.000Z'\n---\nSays more.\n",
	})
	s, err := Open(t.Context(), dir, Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var out strings.Builder
	show := func(what string) {
		fmt.Fprintf(&out, "%s %s\n", now.Format(time.DateOnly), what)
		for _, e := range s.Snapshot().Entries() {
			if e.Role != format.RoleEntry {
				continue
			}
			g := s.Snapshot().Signals(e.Path, now)
			fmt.Fprintf(&out, "  %s importance %.4f recency %.4f %s, %d uses, %d updates; stale %s", e.Path, g.Importance, g.Recency,
				g.Maturity,
				g.AccessCount, g.UpdateCount, s.Snapshot().Staleness(e.Path, now))
			if at := s.Snapshot().LastUse(e.Path); !at.IsZero() {
				fmt.Fprintf(&out, "; used %s", at.Format(time.DateOnly))
			}
			fmt.Fprintln(&out)
		}
		for _, c := range derived.Archivable(s.Snapshot(), now) {
			fmt.Fprintf(&out, "  may be archived: %s\n", c.Path)
		}
	}
	pass := func(days int) { now = now.Add(time.Duration(days) * 24 * time.Hour) }
	last := 0
	do := func(op plan.Op) {
		op.Reason = "because"
		r := mustApply(t, s, plan.Batch{Hold: plan.HoldNone, Ops: []plan.Op{op}})
		if r.Summary.Failed > 0 {
			t.Fatalf("%+v", r.Results)
		}
		last = r.Batch
		show(string(op.Type) + " " + op.Path)
	}
	use := func(n int, p string) {
		for range n {
			if err := s.Credit(t.Context(), p); err != nil {
				t.Fatal(err)
			}
		}
		show(fmt.Sprintf("%d uses of %s", n, p))
	}
	undo := func() {
		r, err := s.Undo(t.Context(), last, "me", "")
		if err != nil {
			t.Fatal(err)
		}
		last = r.Batch
		show("undo")
	}
	show("opened")
	do(plan.Op{Type: plan.OpAdd, Path: "a/b", Title: "New", Summary: "made here"})
	pass(3)
	use(2, "a/b/new.md")
	use(6, "a/b/old.md")
	pass(20)
	do(plan.Op{Type: plan.OpUpdate, Path: "a/b/new.md", Content: format.Content{Facts: []format.Fact{{Statement: "one"}}}})
	do(plan.Op{Type: plan.OpUpdate, Path: "a/b/old.md", Content: format.Content{Lists: format.Lists{Tags: []string{"y"}}}})
	pass(10)
	undo()
	pass(1)
	undo() // of the undo
	use(3, "a/b/plain.md")
	do(plan.Op{Type: plan.OpConfirm, Path: "a/b/plain.md"})
	do(plan.Op{Type: plan.OpConfirm, Path: "a/b/timeless.md"})
	pass(40)
	do(plan.Op{Type: plan.OpMove, Path: "a/b/new.md", To: "a/d/moved.md"})
	do(plan.Op{Type: plan.OpUpdate, Path: "a/b/old.md", Upkeep: true, Content: format.Content{Relations: []string{"a/d/moved.md"}}})
	do(plan.Op{Type: plan.OpUpdate, Path: "a/d/moved.md", Summary: "moved"})
	use(12, "a/d/moved.md")
	use(4, "a/b/old.md")
	do(plan.Op{Type: plan.OpMerge, Path: "a/c/same.md", MergeTarget: "a/d/moved.md"})
	pass(30)
	undo()
	use(1, "a/c/same.md")
	pass(30)
	do(plan.Op{Type: plan.OpArchive, Path: "a/c/same.md"})
	pass(5)
	do(plan.Op{Type: plan.OpRestore, Path: "a/c/same.md"})
	do(plan.Op{Type: plan.OpKeep, Path: "a/c/same.md"})
	do(plan.Op{Type: plan.OpConfirm, Path: "a/c/same.md"})
	pass(150)
	show("later")
	do(plan.Op{Type: plan.OpUpdate, Path: "a/b/old.md", Summary: "late"})
	do(plan.Op{Type: plan.OpUpdate, Path: "a/b/timeless.md", Summary: "late"})
	do(plan.Op{Type: plan.OpDelete, Path: "a/d/moved.md"})
	undo()
	do(plan.Op{Type: plan.OpUpdate, Path: "a/d/moved.md", Title: "Other"})
	pass(9)
	show("end")
	const golden = "testdata/signals.golden"
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
