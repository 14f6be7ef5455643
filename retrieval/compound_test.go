package retrieval

import (
	"math"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// TestCompoundArithmetic holds the sums of the specification: the weights and boosts
// of "Compound Scoring", and the four examples of the paper's equation 6.
func TestCompoundArithmetic(t *testing.T) {
	for _, c := range []struct{ raw, relevance float64 }{{15, 0.9375}, {8, 8.0 / 9}, {4, 0.8}, {1, 0.5}} {
		got := compoundOf(finalist{candidate: candidate{score: c.raw}, lifecycle: 1}, format.Signals{Importance: 0, Recency: 0})
		if got.Relevance != c.relevance {
			t.Errorf("raw %v: relevance %v", c.raw, got.Relevance)
		}
	}
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

// A core entry with some relevance outranks a draft with a little more, as the
// specification says, only where its compound score is asked for.
func TestCompoundOrderIsAChoice(t *testing.T) {
	x := indexOf(t, snapshotOf(
		"a/b/draft.md", "---\ntitle: Cache keys\n---\n\nThe cache key is the hash of the cache input.\n",
		"a/b/core.md",
		"---\ntitle: Storage\nimportance: 95\nrecency: 1\nmaturity: core\nupdatedAt: 2026-01-01T00:00:00Z\n---\n\nThe cache key "+
			"of storage.\n",
	))
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	plain := search(t, x, Query{Text: "cache key", Now: now})
	byScore := search(t, x, Query{Text: "cache key", Now: now, Compound: true})
	if plain.Hits[0].Path != "a/b/draft.md" || byScore.Hits[0].Path != "a/b/core.md" {
		t.Errorf("default %v, compound %v", paths(plain), paths(byScore))
	}
	for _, h := range byScore.Hits {
		if h.Why.Compound == nil || h.Why.Compound.Score != h.Score {
			t.Errorf("%s: score %v, explained as %v", h.Path, h.Score, h.Why.Compound)
		}
	}
}
