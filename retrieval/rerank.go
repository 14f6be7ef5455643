package retrieval

import (
	"math"
	"slices"
	"time"
)

// rerankDepth is the number of best candidates whose text is looked at.
const rerankDepth = 30

// rerank settles the order of the best candidates: what stands together in one
// passage says more than the same words spread over a long entry, and between
// near-equals the lifecycle decides.
func (r *ranking) rerank(now time.Time) {
	l := newLens(r.clauses, r.mass, max(r.plain, math.SmallestNonzeroFloat64))
	for i := range r.found {
		c := &r.found[i]
		d := r.docs[c.doc]
		c.passage = l.best(d)
		c.together = togetherness * c.passage.score * r.mass
		c.heading = headingAgreement * l.heading(d)
		c.lifecycle = lifecycle(d.entry, now)
		c.score = (c.bm25 + c.title + c.heading + c.together) * c.lifecycle
	}
	slices.SortStableFunc(r.found, r.compare)
}
