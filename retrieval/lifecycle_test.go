package retrieval

import (
	"math"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

func TestLifecycleStaysWithinItsBound(t *testing.T) {
	for _, importance := range []float64{-5, 0, 50, 100, 1e9} {
		for _, recency := range []float64{-1, 0, 1, 7} {
			for _, maturity := range []format.Maturity{"", format.Draft, format.Validated, format.Core} {
				s := format.Signals{Importance: importance, Recency: recency, Maturity: maturity, Has: true}
				if f := lifecycle(s); f < 0.962 || f > 1.028 {
					t.Errorf("%+v: factor %v", s, f)
				}
			}
		}
	}
	if f := lifecycle(format.NewSignals()); f != 1 {
		t.Errorf("an ordinary entry: factor %v", f)
	}
}

func TestEntriesWithoutSignalsAreOrdinary(t *testing.T) {
	x := indexOf(t, snapshotOf("a/b/old.md", "---\nupdatedAt: 2001-01-01\n---\nOld.\n"))
	e, _ := x.snap.Entry("a/b/old.md")
	for _, now := range []time.Time{{}, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} {
		if f := lifecycle(x.currentSignals(e, now)); f != 1 {
			t.Errorf("at %v: factor %v", now, f)
		}
	}
}

const signals = "---\ntitle: Deploy runbook\nimportance: 100\nrecency: 1\nmaturity: core\naccessCount: 500\nupdateCount: 9\n---\n"

func TestLifecycleBreaksTiesOnly(t *testing.T) {
	body := "\nBuild, tag, push, and watch the dashboards.\n"
	x := indexOf(t, snapshotOf("a/b/1_draft.md", "---\ntitle: Deploy runbook\n---\n"+body, "a/b/2_core.md", signals+body))
	if got := paths(search(t, x, Query{Text: "deploy runbook dashboards"})); got[0] != "a/b/2_core.md" {
		t.Errorf("equal text: %v", got)
	}
	x = indexOf(t, snapshotOf("a/b/1_draft.md", "---\ntitle: Rollback runbook\n---\n"+body, "a/b/2_core.md", signals+body))
	if got := paths(search(t, x, Query{Text: "rollback runbook"})); got[0] != "a/b/1_draft.md" {
		t.Errorf("the relevant entry was buried: %v", got)
	}
}

// TestCompoundArithmetic holds the sums of the specification: the weights and boosts
// of "Compound Scoring".
func TestCompoundArithmetic(t *testing.T) {
	for _, c := range []struct {
		relevance, importance, recency float64
		maturity                       format.Maturity
		want                           float64
	}{
		{0.8, 50, 1, format.Draft, 0.6*0.8 + 0.25*0.5 + 0.15},
		{0.8, 50, 1, format.Validated, (0.6*0.8 + 0.25*0.5 + 0.15) * 1.08},
		{0.8, 90, math.Exp(-1), format.Core, (0.6*0.8 + 0.25*0.9 + 0.15*math.Exp(-1)) * 1.15},
		{1, 100, 1, format.Core, 1.15},
		{0, 0, 0, format.Draft, 0},
	} {
		got := compound(c.relevance, format.Signals{Importance: c.importance, Recency: c.recency, Maturity: c.maturity})
		if math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
