package retrieval

import (
	"math"
	"testing"
)

// A question refused is no surer of its hits than of being in the domain, and scores
// never rise down the list.
func TestScoresFall(t *testing.T) {
	x := five(t, "")
	for _, q := range []string{"token rotation", "retry", "the job of a worker", "rotate the tires of my car",
		"sessions tokens calls", "?", ""} {
		res := search(t, x, Query{Text: q})
		last := 1.0
		if res.OutOfDomain {
			last = logistic(domainCut)
		}
		for _, h := range res.Hits {
			if math.IsNaN(h.Score) || h.Score < 0 || h.Score > last {
				t.Errorf("%s: %s has %v after %v (%v)", q, h.Path, h.Score, last, h.Sure)
			}
			last = h.Score
		}
	}
}

// The one entry that is named like the question answers it, even in a small tree.
func TestNamesakesAnswerDirectly(t *testing.T) {
	x := five(t, "")
	for _, q := range []string{"token rotation", "Token rotation?", "retry policy", "pool limits", "session cookies", "rollback"} {
		if a := answer(t, x, q); a.Tier != TierDirect {
			t.Errorf("%s: tier %d, %s", q, a.Tier, a.Why)
		}
	}
}

func TestSureness(t *testing.T) {
	sure := Surety{Held: 1, Gap: 0.6}
	if p := sure.score(); p < directScore {
		t.Errorf("%v: %.2f", sure, p)
	}
	for name, less := range map[string]func(*Surety){
		"no lead": func(s *Surety) { s.Gap = 0 },
		"half":    func(s *Surety) { s.Held = 0.5 },
	} {
		s := sure
		less(&s)
		if s.score() >= sure.score() {
			t.Errorf("%s: %v is no less sure", name, s)
		}
	}
}
