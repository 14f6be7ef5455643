package retrieval

import (
	"fmt"
	"math"
)

// A hit's score estimates the probability that the entry is what was asked for.
// Raw scores are no such thing: their scale moves with the query's length and the
// rarity of its words. What tells is the lead over the strongest rival — the next hit,
// or, for want of one, what an entry reaches that merely mentions the words
// (idleScore) — and whether the question is about the tree at all. Within one result the
// estimate falls with the raw score, so the order stays.
//
// The weights are a logistic regression on the first hits of the labelled queries, and a
// few foreign ones, in the samples that domain.go is fitted on, rounded to one decimal;
// bench/retrieval/fit does it again. Of the answers at 0.85 and more to queries left out
// 94–100 % are right on every whole set but the one whose labels name one of several right
// entries (CoSQA), and under 1 % of the foreign questions come that far.
const (
	scoreBase   = -4.4
	scoreWords  = 1.5
	scoreMatch  = 0.7
	scoreLead   = 3.3
	scoreGap    = 3.8
	scoreTitle  = 0.5
	scoreDomain = 1.0
	scoreSize   = -0.3

	idleScore = 0.7
)

// sizeUnit is the unit of a tree's size, in tokens of its bodies; smaller trees count
// as that large.
const sizeUnit = 100_000

// Surety is what a hit's score is made of.
type Surety struct {
	Words  float64 // ln of the number of words of the question
	Match  float64 // raw score per idf of the question
	Lead   float64 // over the strongest rival or an idle entry, of the best score; −1 to 1
	Gap    float64 // over the strongest rival alone
	Title  float64 // how much better than the rival's its title agrees, −1 to 1
	Domain float64 // ln of the probability that the question is about the tree
	Size   float64 // ln of the tree's size in sizeUnit
}

// score is the probability.
func (s Surety) score() float64 {
	return logistic(scoreBase + scoreWords*s.Words + scoreMatch*s.Match + scoreLead*s.Lead + scoreGap*s.Gap +
		scoreTitle*s.Title + scoreDomain*s.Domain + scoreSize*s.Size)
}

// String is the explanation in one line.
func (s Surety) String() string {
	return fmt.Sprintf("words %.1f, match %.2f, lead %+.2f, gap %+.2f, title %+.2f, domain %.2f, size %.1f", s.Words, s.Match, s.Lead,
		s.Gap, s.Title, s.Domain, s.Size)
}

// sureties returns what the finalists' scores are made of, and these, in their order.
func (r *ranking) sureties(all []finalist, e Evidence) ([]Surety, []float64) {
	made, scores := make([]Surety, len(all)), make([]float64, len(all))
	if len(all) == 0 || r.mass <= 0 {
		return made, scores
	}
	plain := max(r.plain, math.SmallestNonzeroFloat64)
	raw := func(f finalist) float64 { return f.score / r.mass }
	next := finalist{} // reaches nothing
	if len(all) > 1 {
		next = all[1]
	}
	best, highest := raw(all[0]), max(raw(all[0]), idleScore)
	words, domain := r.logWords(), -math.Log1p(math.Exp(-e.Sum))
	size := math.Log(max(1, float64(r.pop.tokens)/sizeUnit))
	ceiling := 1.0
	if !e.inDomain() {
		ceiling = logistic(e.Sum) // no surer of the entry than of the domain
	}
	for i, c := range all {
		rival, idle := all[0], 0.0
		if i == 0 {
			rival, idle = next, idleScore
		}
		s := Surety{
			Words:  words,
			Match:  raw(c),
			Lead:   max(-1, (raw(c)-max(raw(rival), idle))/highest),
			Gap:    (raw(c) - raw(rival)) / max(best, math.SmallestNonzeroFloat64),
			Title:  (c.title - rival.title) / plain,
			Domain: domain,
			Size:   size,
		}
		made[i], scores[i] = s, min(ceiling, s.score())
		ceiling = scores[i]
	}
	return made, scores
}
