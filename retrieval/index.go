package retrieval

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brv-lsp/brv-lsp/retrieval/meaning"
	"github.com/brv-lsp/brv-lsp/tree"
)

// Index answers questions about one snapshot. It is immutable and safe for any number of readers; it stays
// valid when the Retriever updates or closes.
type Index struct {
	snap  *tree.Snapshot
	learn func(context.Context, time.Duration) *meaning.Store // see [Retriever.learn]
	*postings
}

// newIndex is a view of the store's present content. It reuses the places of the previous index if no entry
// came or went.
func newIndex(snap *tree.Snapshot, s *segments, before *Index) *Index {
	docs := s.docs
	where := sync.OnceValue(func() places { return placesOf(docs) })
	if before != nil {
		where = before.places
	}
	return &Index{snap: snap, postings: &postings{
		base: s.base, delta: s.delta, docs: docs, bodies: s.bodies, dead: s.dead,
		whole:  s.whole,
		places: where,

		titleMasses: make([]atomic.Uint64, len(docs)),
	}}
}

// over is the same index for a snapshot with the same searchable entries.
func (x *Index) over(snap *tree.Snapshot) *Index {
	if x.snap == snap {
		return x
	}
	return &Index{snap: snap, learn: x.learn, postings: x.postings}
}

// Len is the number of searchable entries.
func (x *Index) Len() int { return x.whole.size }

// population is a part of the tree that is searched as if it were the whole: the counts for BM25F are made in
// it alone.
type population struct {
	scope   string // a folder or an entry; "" for the whole tree
	size    int
	tokens  int64              // length of all bodies
	average [numFields]float64 // mean length of the fields that are not empty, in tokens

	// What the averages are made of: integers, so that an index updated step by step
	// scores exactly like one built from scratch.
	sums, filled [numFields]int64
}

// populationOf counts the docs of a scope.
func populationOf(docs []*doc, scope string) population {
	p := population{scope: scope}
	for _, d := range docs {
		if d != nil && p.holds(d) {
			p.count(d, 1)
		}
	}
	p.settle()
	return p
}

// count adds a doc, or takes it away: n is 1 or -1.
func (p *population) count(d *doc, n int64) {
	p.size += int(n)
	for f, length := range d.len {
		if length > 0 {
			p.sums[f] += n * int64(length)
			p.filled[f] += n
		}
	}
}

// settle computes the averages.
func (p *population) settle() {
	p.tokens = p.sums[fieldBody]
	for f := range p.sums {
		p.average[f] = float64(p.sums[f]) / float64(max(1, p.filled[f]))
	}
}

func (p *population) holds(d *doc) bool {
	return p.scope == "" || within(d.entry.Path, p.scope)
}
