package retrieval

import (
	"math"
	"slices"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// rerankDepth is the number of best candidates whose text is examined: close to the most hits of a query,
// since the cost grows with it.
const rerankDepth = 30

// secondHand is the factor for the score of a section about the past: in a changelog, a superseded record, or
// a generated page. Chosen on questions about eight repositories (docs/ranking.md): .9 and .7 give the same
// within one question.
const secondHand = 0.8

// finalist is a candidate whose text has been examined.
type finalist struct {
	candidate
	heading   float64 // heading agreement
	together  float64 // what the passage adds
	close     float64 // what words standing close together add
	meaning   float64 // what nearness in meaning adds
	passage   passage
	lifecycle float64 // factor
}

// rerank orders the best candidates: words together in one passage count more than the same words spread over
// a long entry, and the lifecycle decides between near-equals.
func (r *ranking) rerank(l *lens, standing func(*format.Entry) format.Signals) []finalist {
	out := make([]finalist, len(r.found))
	for i, c := range r.found {
		d := r.docs[c.doc]
		f := finalist{candidate: c, heading: headingAgreement * l.heading(d), passage: l.best(d), lifecycle: lifecycle(standing(d.entry))}
		if _, _, section := format.SectionOf(d.entry.Path); section && d.entry.Signals.Has {
			f.lifecycle *= secondHand
		}
		f.together = togetherness * f.passage.score * r.mass
		f.close = l.closeness(d)
		f.meaning = likeWeight * r.like.standing(c.doc) * r.mass
		f.score = (c.bm25 + c.title + f.heading + f.together + f.close + f.meaning) * f.lifecycle
		out[i] = f
	}
	slices.SortFunc(out, func(a, b finalist) int { return r.compare(a.candidate, b.candidate) })
	return out
}

// lens returns the search for passages of the ranking's query.
func (r *ranking) lens() *lens {
	return newLens(r.clauses, r.mass, max(r.plain, math.SmallestNonzeroFloat64))
}
