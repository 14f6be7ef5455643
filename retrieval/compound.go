package retrieval

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// CompoundScore is the specification's score taken apart ("Compound Scoring"):
//
//	relevance = raw / (1 + raw)                                    (paper, equation 6)
//	score     = (0.6 · relevance + 0.25 · importance + 0.15 · recency) · boost
//
// raw is what the hit's words add up to before the lifecycle. With [Query.Compound]
// it is the order of the best thirty of the default ranking, and Hit.Score is this
// score: up to 1.15, and no probability.
type CompoundScore struct {
	Relevance  float64 // 0–1
	Importance float64 // 0–1
	Recency    float64 // 0–1
	Boost      float64 // of the maturity: 1, 1.08 or 1.15
	Score      float64
}

// String is the score's sum in one line.
func (c CompoundScore) String() string {
	return fmt.Sprintf("(%g × relevance %.3f + %g × importance %.2f + %g × recency %.2f) × %g = %.3f",
		weightRelevance, c.Relevance, weightImportance, c.Importance, weightRecency, c.Recency, c.Boost, c.Score)
}

func compoundOf(f finalist, s format.Signals) *CompoundScore {
	raw := f.score / f.lifecycle
	c := CompoundScore{Relevance: raw / (1 + raw), Boost: s.Maturity.Boost()}
	c.Importance, c.Recency = shares(s)
	c.Score = compound(c.Relevance, s)
	return &c
}

// byCompound puts finalists in the order of the compound score, equal ones in the
// order they had, and returns their scores.
func (r *ranking) byCompound(all []finalist, signals func(*format.Entry) format.Signals) []*CompoundScore {
	scores := make(map[uint32]*CompoundScore, len(all))
	for _, f := range all {
		scores[f.doc] = compoundOf(f, signals(r.docs[f.doc].entry))
	}
	slices.SortStableFunc(all, func(a, b finalist) int { return cmp.Compare(scores[b.doc].Score, scores[a.doc].Score) })
	out := make([]*CompoundScore, len(all))
	for i, f := range all {
		out[i] = scores[f.doc]
	}
	return out
}
