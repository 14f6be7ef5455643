package retrieval

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/internal/panics"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// segments are the parts of the next [Index]: a base, the delta beside it, and the list of living documents
// of both. Its owner guards it. Slices that an index shares are replaced, never changed.
type segments struct {
	base   *base
	delta  *delta
	docs   []*doc
	bodies []int32
	dead   []uint32
	whole  population

	numbers map[string]uint32 // path → document number, of the living
	seen    []*format.Entry   // of the snapshot that the store is up to date with, sorted by path
}

// newStore returns a store of what a base holds. A doc is nil where the tree has
// something else by now.
func newStore(b *base, docs []*doc) *segments {
	s := &segments{base: b, delta: newDelta(), docs: docs, bodies: make([]int32, len(docs)), numbers: make(map[string]uint32, len(docs))}
	for n, d := range docs {
		if d == nil {
			s.bodies[n] = -1
			s.dead = append(s.dead, uint32(n))
			continue
		}
		s.bodies[n] = d.len[fieldBody]
		s.whole.count(d, 1)
		s.numbers[d.entry.Path] = uint32(n)
	}
	s.whole.settle()
	return s
}

// buildStore indexes entries, those of them that are searchable.
func buildStore(ctx context.Context, entries []*format.Entry) (*segments, error) {
	b, docs, err := buildBase(ctx, searchable(entries))
	if err != nil {
		return nil, err
	}
	s := newStore(b, docs)
	s.seen = entries
	return s, nil
}

func searchable(entries []*format.Entry) []*format.Entry {
	out := make([]*format.Entry, 0, len(entries))
	for _, e := range entries {
		if format.Searchable(e) {
			out = append(out, e)
		}
	}
	return out
}

// change is the difference between a store and the entries it should hold.
type change struct {
	put    []*format.Entry
	remove []string
}

func (c *change) empty() bool { return len(c.put) == 0 && len(c.remove) == 0 }

// samePaths is the index before, if the change neither brings nor takes an entry.
func (c *change) samePaths(before *Index) *Index {
	if before == nil || len(c.remove) > 0 {
		return nil
	}
	for _, e := range c.put {
		if old, ok := before.snap.Entry(e.Path); !ok || !format.Searchable(old) {
			return nil
		}
	}
	return before
}

// diff compares the store with a snapshot's entries by path and content hash. Two
// snapshots share the entries that did not change, so that most are told to be
// equal without a look at them.
func (s *segments) diff(entries []*format.Entry) change {
	var c change
	old := s.seen
	for len(old) > 0 || len(entries) > 0 {
		switch {
		case len(entries) == 0 || len(old) > 0 && old[0].Path < entries[0].Path:
			s.removeEntry(&c, old[0].Path)
			old = old[1:]
		case len(old) == 0 || entries[0].Path < old[0].Path:
			s.addEntry(&c, entries[0])
			entries = entries[1:]
		default:
			if old[0] != entries[0] {
				s.addEntry(&c, entries[0])
			}
			old, entries = old[1:], entries[1:]
		}
	}
	return c
}

func (s *segments) removeEntry(c *change, path string) {
	if _, ok := s.numbers[path]; ok {
		c.remove = append(c.remove, path)
	}
}

func (s *segments) addEntry(c *change, e *format.Entry) {
	if !format.Searchable(e) {
		s.removeEntry(c, e.Path)
		return
	}
	if n, ok := s.numbers[e.Path]; !ok || s.docs[n].entry.Hash != e.Hash {
		c.put = append(c.put, e)
	}
}

// apply brings the store up to date with entries, from which c is its difference.
// An error leaves it as it was.
func (s *segments) apply(ctx context.Context, c change, entries []*format.Entry) error {
	if c.empty() {
		s.seen = entries
		return nil
	}
	docs, terms, err := analyse(ctx, c.put)
	if err != nil {
		return err
	}
	s.seen = entries
	s.docs = append(make([]*doc, 0, len(s.docs)+len(docs)), s.docs...)
	s.bodies = append(make([]int32, 0, len(s.bodies)+len(docs)), s.bodies...)
	s.dead = slices.Clone(s.dead)
	for _, p := range c.remove {
		s.forget(p)
	}
	for i, d := range docs {
		s.forget(d.entry.Path)
		n := uint32(len(s.docs))
		s.docs, s.bodies = append(s.docs, d), append(s.bodies, d.len[fieldBody])
		s.numbers[d.entry.Path] = n
		s.whole.count(d, 1)
		s.delta.add(n, terms[i])
	}
	slices.Sort(s.dead)
	s.whole.settle()
	return nil
}

// forget takes a path's document out, if there is one.
func (s *segments) forget(path string) {
	n, ok := s.numbers[path]
	if !ok {
		return
	}
	s.whole.count(s.docs[n], -1)
	s.docs[n], s.bodies[n] = nil, -1
	delete(s.numbers, path)
	if int(n) < s.base.size {
		s.dead = append(s.dead, n)
	}
}

// analyse reads entries on all processors.
func analyse(ctx context.Context, entries []*format.Entry) ([]*doc, [][]termTally, error) {
	docs, terms := make([]*doc, len(entries)), make([][]termTally, len(entries))
	workers := min(runtime.GOMAXPROCS(0), len(entries))
	var tasks panics.Group
	for w := range workers {
		tasks.Go(func() {
			for i := w; i < len(entries) && ctx.Err() == nil; i += workers {
				docs[i], terms[i] = newDoc(entries[i])
			}
		})
	}
	tasks.Wait()
	return docs, terms, ctx.Err()
}

// A store is worn when more than this part of its base has changed: every search then skips many dead
// documents, and the delta is less compact than a base. minWorn prevents repeated rebuilds of small trees,
// whose delta costs nothing.
const (
	wornPart = 16
	minWorn  = 256
)

func (s *segments) worn() bool { return s.changed() > max(minWorn, s.base.size/wornPart) }

// changed counts what came and went since the base was built.
func (s *segments) changed() int { return len(s.docs) - s.base.size + len(s.dead) }

// delta holds the postings of what came after the base. It only grows: documents
// get numbers behind the base's, rising, so that of two indexes over one delta the
// older is told from the newer by the numbers it knows. Documents that were changed
// again stay in it until the next base.
type delta struct {
	mu      sync.RWMutex // guards what follows; lists once stored do not change below their length
	lists   map[string][]hit
	byFirst [256][]string // the terms by their first byte
}

func newDelta() *delta { return &delta{lists: map[string][]hit{}} }

// add adds a document whose number is higher than all before.
func (d *delta) add(n uint32, terms []termTally) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range terms {
		list, ok := d.lists[t.term]
		if !ok {
			t.term = strings.Clone(t.term) // it may alias an entry's text
			d.byFirst[t.term[0]] = append(d.byFirst[t.term[0]], t.term)
		}
		d.lists[t.term] = append(list, hit{n, t.tally})
	}
}

// list returns the postings of a term in documents below a number.
func (d *delta) list(term string, below uint32) []hit {
	d.mu.RLock()
	list := d.lists[term]
	d.mu.RUnlock()
	end := len(list)
	for end > 0 && list[end-1].doc >= below {
		end--
	}
	return list[:end:end]
}

// starting lists the terms that start with a byte, in no order.
func (d *delta) starting(first byte) []string {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return slices.Clip(d.byFirst[first])
}
