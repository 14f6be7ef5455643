package tree

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var confirmedAt = time.Date(2026, 5, 1, 12, 30, 15, 250_000_000, time.UTC)

// Everything but the time, and what decays by it, stays as it is, to the byte.
func TestConfirmChangesOnlyTheTime(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"plain":      {"---\r\nupdatedAt: 2026-03-01T00:00:00Z # day one\r\nodd: [1]\r\n---\r\nBody \r\n", "---\r\nupdatedAt: 2026-05-01T12:30:15Z # day one\r\nodd: [1]\r\n---\r\nBody \r\n"},
		"ours":       {"---\ntitle: A\nupdatedAt: '2026-03-01T00:00:00.000Z'\n---\n", "---\ntitle: A\nupdatedAt: '2026-05-01T12:30:15.250Z'\n---\n"},
		"an offset":  {"---\nupdatedAt: \"2026-03-01T00:00:00+02:00\"\n---\n", "---\nupdatedAt: \"2026-05-01T14:30:15+02:00\"\n---\n"},
		"a date":     {"---\nupdatedAt: 2026-03-01\n---\n", "---\nupdatedAt: 2026-05-01T12:30:15.250Z\n---\n"},
		"none":       {"---\ntitle: A\n---\nBody\n", "---\ntitle: A\nupdatedAt: '2026-05-01T12:30:15.250Z'\n---\nBody\n"},
		"no header":  {"Body\n", "---\nupdatedAt: '2026-05-01T12:30:15.250Z'\n---\nBody\n"},
		"this time":  {"---\nupdatedAt: 2026-05-01T12:30:15.250Z\n---\n", "---\nupdatedAt: 2026-05-01T12:30:15.250Z\n---\n"},
		"never ends": {"---\nupdatedAt: 2026-03-01\n", "---\nupdatedAt: 2026-03-01\n"},
	} {
		e := Parse("a/b/x.md", c.text)
		got := ApplyEdits(c.text, []Edit{e.Confirm(confirmedAt)})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

// A confirmation neither raises importance nor stops its decay, whether or not the entry
// was used.
func TestConfirmKeepsTheSignals(t *testing.T) {
	used := Usage{Access: 3, Bonus: 9, Maturity: Validated, At: confirmedAt.Add(-240 * time.Hour)}
	for _, u := range []Usage{{}, used} {
		e := Parse("a/b/x.md", "---\nimportance: 80\nrecency: 1\nmaturity: validated\naccessCount: 1\nupdateCount: 2\nupdatedAt: 2026-03-01T00:00:00Z\n---\n")
		before := signals(e, u, confirmedAt)
		after := Parse(e.Path, e.confirmed(confirmedAt, u))
		got := signals(after, Usage{}, confirmedAt)
		if before.Recency = 1; !cmp.Equal(before.Maturity, got.Maturity) || before.AccessCount != got.AccessCount || before.UpdateCount != got.UpdateCount ||
			got.Recency < 0.999 || before.Importance-got.Importance > 0.01 || got.Importance-before.Importance > 0.01 {
			t.Errorf("used %d times: %+v became %+v", u.Access, before, got)
		}
	}
	fresh := Parse("a/b/x.md", "---\nupdatedAt: 2026-03-01T00:00:00Z\n---\n")
	if text := fresh.confirmed(confirmedAt, Usage{}); strings.Contains(text, "importance") {
		t.Errorf("an entry without signals got some: %q", text)
	}
}

func TestConfirmIsJournalledAndTakenBack(t *testing.T) {
	core := "---\ntitle: Core\nimportance: 90\nmaturity: core\nupdatedAt: '2999-01-01T00:00:00.000Z'\n---\n## Reason\nfirst\n"
	dir := onDisk(t, map[string]string{"a/b/core.md": core, "a/b/open.md": "---\ntitle: A\n"})
	s := opened(t, dir)
	before := content(t, dir)
	confirm := Op{Type: "confirm", Path: "a/b/core.md", Reason: "read it"}
	r := mustApply(t, s, batchOf(confirm)) // changes of core entries would be held
	e, _ := s.Snapshot().Entry("a/b/core.md")
	if r.Summary != (Counts{Confirmed: 1}) || r.Batch == 0 || !strings.Contains(e.Text, "## Reason\nfirst\n") || e.Text == core {
		t.Fatalf("%+v\n%s", r, e.Text)
	}
	if _, err := s.Undo(t.Context(), r.Batch, "me", ""); err != nil {
		t.Fatal(err)
	}
	after := content(t, dir)
	if diff := cmp.Diff(before["a/b/core.md"], after["a/b/core.md"]); diff != "" {
		t.Errorf("taken back (-want +got)\n%s", diff)
	}
	if r = mustApply(t, s, Batch{Hold: HoldAll, Ops: []Op{confirm}}); r.Summary != (Counts{Pending: 1}) {
		t.Errorf("everything is held: %+v", r.Summary)
	}
	for _, p := range []string{"a/b/open.md", "a/b/none.md", "a"} {
		if r = mustApply(t, s, batchOf(Op{Type: OpConfirm, Path: p, Reason: "read it"})); r.Summary != (Counts{Failed: 1}) {
			t.Errorf("%s: %+v", p, r)
		}
	}
}

func TestWhatChangesNothingIsCountedApart(t *testing.T) {
	s := opened(t, onDisk(t, small))
	same := Op{Type: OpUpdate, Path: "a/b/y.md", Summary: "new", Reason: "r"}
	mustApply(t, s, batchOf(same))
	for _, hold := range []Hold{HoldRisky, HoldAll, HoldNone} {
		r := mustApply(t, s, Batch{Hold: hold, Ops: []Op{same}})
		if r.Summary != (Counts{Unchanged: 1}) || r.Batch != 0 || !r.Results[0].Unchanged {
			t.Errorf("hold %q: %+v", hold, r)
		}
	}
}
