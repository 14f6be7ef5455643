package retrieval

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/brv-lsp/brv-lsp/tree"
)

// batchSize is the number of entries bleve gets at once. Measured: 100 at once make
// 2,266 entries a processor second, 500 make 3,303, 5,000 hardly more than 1,000.
const batchSize = 512

// maxBatches is the number of batches after which a store is rebuilt: a scorch
// index in memory never merges its segments, and every query visits them all.
const maxBatches = 48

// store is one bleve index in memory with the docs it holds. It is guarded by
// its owner; the readers it hands out are immutable.
type store struct {
	bleve   bleve.Index
	docs    map[string]*doc // by path
	batches int             // since the first build
}

func newStore() (*store, error) {
	// Scorch with an empty path lives in memory. The store name must not be empty,
	// and bleve.NewMemOnly is another, ten times slower engine.
	b, err := bleve.NewUsing("", bleve.NewIndexMapping(), scorch.Name, scorch.Name, nil)
	if err != nil {
		return nil, fmt.Errorf("search index: %w", err)
	}
	return &store{bleve: b, docs: map[string]*doc{}}, nil
}

// change is the difference between a store and the entries it should hold.
type change struct {
	put    []*tree.Entry
	remove []string
}

func (c change) empty() bool { return len(c.put) == 0 && len(c.remove) == 0 }

// diff compares the store with entries by path and content hash.
func (s *store) diff(entries []*tree.Entry) change {
	var c change
	kept := 0
	for _, e := range entries {
		if !e.Role.Searchable() {
			continue
		}
		old, ok := s.docs[e.Path]
		if ok {
			kept++
		}
		if !ok || old.entry.Hash != e.Hash {
			c.put = append(c.put, e)
		}
	}
	if kept == len(s.docs) {
		return c
	}
	live := make(map[string]bool, len(entries))
	for _, e := range entries {
		live[e.Path] = e.Role.Searchable()
	}
	for p := range s.docs {
		if !live[p] {
			c.remove = append(c.remove, p)
		}
	}
	slices.Sort(c.remove)
	return c
}

// apply brings the store up to date. After an error the store is of no use.
func (s *store) apply(ctx context.Context, c change) error {
	if c.empty() {
		return nil
	}
	parts := slices.Collect(slices.Chunk(c.put, batchSize))
	if len(parts) == 0 {
		parts = append(parts, nil)
	}
	done := make([][]*doc, len(parts))
	errs := make([]error, len(parts))
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, part := range parts {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			if errs[i] = ctx.Err(); errs[i] != nil {
				return
			}
			var remove []string
			if i == 0 {
				remove = c.remove
			}
			done[i], errs[i] = s.batch(part, remove)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	for _, docs := range done {
		for _, d := range docs {
			s.docs[d.entry.Path] = d
		}
	}
	for _, p := range c.remove {
		delete(s.docs, p)
	}
	s.batches += len(parts)
	return nil
}

// batch writes one batch; bleve analyses its documents in parallel.
func (s *store) batch(put []*tree.Entry, remove []string) ([]*doc, error) {
	docs := make([]*doc, len(put))
	b := s.bleve.NewBatch()
	for i, e := range put {
		d, bd := newDoc(e)
		docs[i] = d
		if err := b.IndexAdvanced(bd); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Path, err)
		}
	}
	for _, p := range remove {
		b.Delete(p)
	}
	if err := s.bleve.Batch(b); err != nil {
		return nil, fmt.Errorf("search index: %w", err)
	}
	for _, d := range docs {
		d.finish()
	}
	return docs, nil
}

// reader opens a point-in-time view of the store's postings, with the doc of
// each of its document numbers.
func (s *store) reader() (index.IndexReader, []*doc, error) {
	adv, err := s.bleve.Advanced()
	if err != nil {
		return nil, nil, fmt.Errorf("search index: %w", err)
	}
	r, err := adv.Reader()
	if err != nil {
		return nil, nil, fmt.Errorf("search index: %w", err)
	}
	byNumber, err := s.numbered(r)
	if err != nil {
		r.Close()
		return nil, nil, fmt.Errorf("search index: %w", err)
	}
	return r, byNumber, nil
}

func (s *store) numbered(r index.IndexReader) ([]*doc, error) {
	ids, err := r.DocIDReaderAll()
	if err != nil {
		return nil, err
	}
	defer ids.Close()
	out := make([]*doc, 0, len(s.docs))
	for {
		id, err := ids.Next()
		if err != nil || id == nil {
			return out, err
		}
		p, err := r.ExternalID(id)
		if err != nil {
			return nil, err
		}
		n := int(id.Value())
		for len(out) <= n {
			out = append(out, nil)
		}
		out[n] = s.docs[p]
	}
}

// entries lists what the store holds, in no order.
func (s *store) entries() []*tree.Entry {
	out := make([]*tree.Entry, 0, len(s.docs))
	for _, d := range s.docs {
		out = append(out, d.entry)
	}
	return out
}
