package retrieval

import (
	"runtime"
	"sync"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/brv-lsp/brv-lsp/tree"
)

// Index answers questions about one snapshot. It is immutable and safe for any
// number of readers; it stays valid when the Retriever moves on or closes.
type Index struct {
	snap *tree.Snapshot
	*postings
}

// postings is the part of an Index that depends on the searchable entries only.
type postings struct {
	reader index.IndexReader
	docs   []*doc // by bleve's document number; nil where an entry was replaced
	whole  population
	places func() places
	counts sync.Map // term → number of entries that hold it (int)
}

// newIndex opens a view of what the store holds now.
func newIndex(snap *tree.Snapshot, s *store) (*Index, error) {
	r, docs, err := s.reader()
	if err != nil {
		return nil, err
	}
	p := &postings{reader: r, docs: docs, whole: populationOf(docs, "")}
	p.places = sync.OnceValue(func() places { return placesOf(docs) })
	runtime.AddCleanup(p, func(r index.IndexReader) { r.Close() }, r)
	return &Index{snap: snap, postings: p}, nil
}

// over is the same index for a snapshot with the same searchable entries.
func (x *Index) over(snap *tree.Snapshot) *Index {
	if x.snap == snap {
		return x
	}
	return &Index{snap: snap, postings: x.postings}
}

// Len is the number of entries that can be found.
func (x *Index) Len() int { return x.whole.size }

// population is a part of the tree that is searched as if it were all of it: the
// counts that BM25F compares an entry with are counted in it alone.
type population struct {
	scope   string // a folder or an entry; "" for the whole tree
	size    int
	tokens  int64              // length of all bodies
	average [numFields]float64 // mean length of the fields that are not empty, in tokens
}

// populationOf counts the docs of a scope. Sums are of integers, so that an index
// updated step by step scores exactly like one built from scratch.
func populationOf(docs []*doc, scope string) population {
	p := population{scope: scope}
	var sums, counts [numFields]int64
	for _, d := range docs {
		if d == nil || !p.holds(d) {
			continue
		}
		p.size++
		for f, n := range d.len {
			if n > 0 {
				sums[f] += int64(n)
				counts[f]++
			}
		}
	}
	p.tokens = sums[fieldBody]
	for f := range sums {
		p.average[f] = float64(sums[f]) / float64(max(1, counts[f]))
	}
	return p
}

func (p *population) holds(d *doc) bool {
	return p.scope == "" || within(d.entry.Path, p.scope)
}
