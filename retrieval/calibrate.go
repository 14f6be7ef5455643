package retrieval

import (
	"fmt"
	"math"
)

// A hit's score estimates the probability that the entry answers the question. Raw scores are not
// probabilities: their scale moves with the query's length and the rarity of its words. Two shares carry over
// to other trees: the share of the question that the entry says in one place, and the gap to the strongest
// rival as a share of the best score. Within one result the estimate falls with the raw score, so the order
// stays.
//
// The weights are a logistic regression on the first hits of labelled and foreign queries, made by leaving
// whole families of data sets out; bench/retrieval/fit does it again and docs/ranking.md has its figures. Its
// last run gives −2.9, 3.8 and 3.3; with these fewer questions get a direct answer, and no more of the
// answers are right. scoreCaution, in log odds, is subtracted: an estimate of 0.9 on the fitted sets becomes
// 0.85, and the direct answers of the sets left out are right. The number of the question's words, the raw
// score per word, the agreement of titles, the tree's size and the verdict on the domain are not used: with
// them more questions are answered directly, and more of the answers are wrong on sets left out.
const (
	scoreBase    = -3.1
	scoreHeld    = 4.2
	scoreGap     = 3.8
	scoreCaution = 0.46
)

// Surety holds the parts of a hit's score.
type Surety struct {
	Held float64 // share of the question, by rarity, that its passage, summary or title contains
	Gap  float64 // gap to the strongest rival as a share of the best score, −1 to 1
}

// score is the probability.
func (s Surety) score() float64 {
	return logistic(scoreBase + scoreHeld*s.Held + scoreGap*s.Gap - scoreCaution)
}

// String is the explanation in one line.
func (s Surety) String() string {
	return fmt.Sprintf("held %.0f%%, gap %+.2f", 100*s.Held, s.Gap)
}

// sureties returns the finalists' scores with the parts that they are made of, in their order.
func (r *ranking) sureties(all []finalist, e Evidence) ([]Surety, []float64) {
	made, scores := make([]Surety, len(all)), make([]float64, len(all))
	if len(all) == 0 || r.mass <= 0 {
		return made, scores
	}
	rival := 0.0
	if len(all) > 1 {
		rival = all[1].score
	}
	ceiling := 1.0
	if !e.inDomain() {
		ceiling = logistic(e.Sum) // not surer of the entry than of the domain
	}
	for i, c := range all {
		if i == 1 {
			rival = all[0].score
		}
		s := Surety{Held: c.passage.covered, Gap: (c.score - rival) / max(all[0].score, math.SmallestNonzeroFloat64)}
		made[i], scores[i] = s, min(ceiling, s.score())
		ceiling = scores[i]
	}
	return made, scores
}
