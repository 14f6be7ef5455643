package store

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

var confirmedAt = time.Date(2026, 5, 1, 12, 30, 15, 250_000_000, time.UTC)

// Everything but the day stays as it is, to the byte. Two people who confirm on one day write
// the same; who confirms again on that day says it all the same, or nobody else would learn of it.
func TestConfirmChangesOnlyTheDay(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"none": {"---\r\ntitle: A\r\nodd: [1]\r\n---\r\nBody \r\n",
			"---\r\ntitle: A\r\nconfirmed: '2026-05-01'\r\nodd: [1]\r\n---\r\nBody \r\n"},
		"an older one": {"---\nconfirmed: 2026-03-01 # read\n---\n", "---\nconfirmed: 2026-05-01 # read\n---\n"},
		"that day":     {"---\nconfirmed: 2026-05-01\n---\n", "---\nconfirmed: 2026-05-01T12:30:15.250Z\n---\n"},
		"counted keys": {"---\ntitle: A\nimportance: 3\nupdatedAt: '2026-03-01T00:00:00.000Z'\n---\n",
			"---\ntitle: A\nimportance: 3\nupdatedAt: '2026-03-01T00:00:00.000Z'\nconfirmed: '2026-05-01'\n---\n"},
		"no header":  {"Body\n", "---\nconfirmed: '2026-05-01'\n---\nBody\n"},
		"never ends": {"---\nupdatedAt: 2026-03-01\n", "---\nupdatedAt: 2026-03-01\n"},
	} {
		e := format.Parse("a/b/x.md", c.text)
		got := markdown.ApplyEdits(c.text, []markdown.Edit{e.Confirm(confirmedAt)})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
		if after := format.Parse(e.Path, got); name != "never ends" && after.Confirmed().Before(confirmedAt) {
			t.Errorf("%s: confirmed %v", name, after.Confirmed())
		}
	}
}

// A confirmation neither raises importance nor stops its decay, whether or not the entry
// was used.
func TestConfirmKeepsTheSignals(t *testing.T) {
	for _, uses := range []int{0, 3} {
		s := opened(t, onDisk(t, map[string]string{
			"a/b/x.md": "---\nimportance: 80\nrecency: 1\nmaturity: validated\naccessCount: 1\nupdateCount: 2\nupdatedAt: " +
				"2026-03-01T00:00:00Z\n---\n",
			"a/b/y.md": "---\nupdatedAt: 2026-03-01T00:00:00Z\n---\n",
		}))
		mustApply(t, s, batchOf(plan.Op{Type: plan.OpAdd, Path: "a/b", Title: "New", Summary: "s", Reason: "r"}))
		for range uses {
			if err := s.Credit(t.Context(), "a/b/x.md"); err != nil {
				t.Fatal(err)
			}
		}
		before := s.Snapshot().Signals("a/b/x.md", testNow)
		for _, p := range []string{"a/b/x.md", "a/b/y.md"} {
			mustApply(t, s, batchOf(plan.Op{Type: plan.OpConfirm, Path: p, Reason: "r"}))
		}
		got := s.Snapshot().Signals("a/b/x.md", testNow)
		if before.Recency = 1; !cmp.Equal(before.Maturity, got.Maturity) || before.AccessCount != got.AccessCount ||
			before.UpdateCount != got.UpdateCount ||
			got.Recency < 0.999 || before.Importance-got.Importance > 0.01 || got.Importance-before.Importance > 0.01 {
			t.Errorf("used %d times: %+v became %+v", uses, before, got)
		}
		if s, _ := s.Snapshot().Counted("a/b/y.md"); s.Has {
			t.Errorf("an entry without signals got some: %+v", s)
		}
	}
}

func TestConfirmIsJournalledAndTakenBack(t *testing.T) {
	core := "---\ntitle: Core\nimportance: 90\nmaturity: core\nupdatedAt: '2999-01-01T00:00:00.000Z'\n---\n## Reason\nfirst\n"
	dir := onDisk(t, map[string]string{"a/b/core.md": core, "a/b/open.md": "---\ntitle: A\n"})
	s := opened(t, dir)
	before := content(t, dir)
	confirm := plan.Op{Type: "confirm", Path: "a/b/core.md", Reason: "read it"}
	r := mustApply(t, s, batchOf(confirm)) // changes of core entries would be held
	e, _ := s.Snapshot().Entry("a/b/core.md")
	if r.Summary != (plan.Counts{Confirmed: 1}) || r.Batch == 0 || !strings.Contains(e.Text, "## Reason\nfirst\n") || e.Text == core {
		t.Fatalf("%+v\n%s", r, e.Text)
	}
	if _, err := s.Undo(t.Context(), r.Batch, "me", ""); err != nil {
		t.Fatal(err)
	}
	after := content(t, dir)
	if diff := cmp.Diff(before["a/b/core.md"], after["a/b/core.md"]); diff != "" {
		t.Errorf("taken back (-want +got)\n%s", diff)
	}
	if r = mustApply(t, s, plan.Batch{Hold: plan.HoldAll, Ops: []plan.Op{confirm}}); r.Summary != (plan.Counts{Pending: 1}) {
		t.Errorf("everything is held: %+v", r.Summary)
	}
	for _, p := range []string{"a/b/open.md", "a/b/none.md", "a"} {
		if r = mustApply(t, s, batchOf(plan.Op{Type: plan.OpConfirm, Path: p,
			Reason: "read it"})); r.Summary != (plan.Counts{Failed: 1}) {
			t.Errorf("%s: %+v", p, r)
		}
	}
}

func TestWhatChangesNothingIsCountedApart(t *testing.T) {
	s := opened(t, onDisk(t, small))
	same := plan.Op{Type: plan.OpUpdate, Path: "a/b/y.md", Summary: "new", Reason: "r"}
	mustApply(t, s, batchOf(same))
	for _, hold := range []plan.Hold{plan.HoldRisky, plan.HoldAll, plan.HoldNone} {
		r := mustApply(t, s, plan.Batch{Hold: hold, Ops: []plan.Op{same}})
		if r.Summary != (plan.Counts{Unchanged: 1}) || r.Batch != 0 || !r.Results[0].Unchanged {
			t.Errorf("hold %q: %+v", hold, r)
		}
	}
}
