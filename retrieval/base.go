package retrieval

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	segment "github.com/blevesearch/scorch_segment_api/v2"

	"github.com/brv-lsp/brv-lsp/internal/lru"
	"github.com/brv-lsp/brv-lsp/internal/panics"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// base is the part of an index that is built once and never changes: segments of postings, whose documents
// are numbered in order of path. Later changes are kept beside it, in a [delta].
type base struct {
	parts []basePart
	size  int                       // number of documents
	lists *lru.Cache[string, []hit] // by term

	damaged atomic.Bool // a segment could not be read: it does not match its checksum
}

// basePart is a segment with its bytes and the number of its first document.
type basePart struct {
	segment.Segment
	bytes []byte
	first uint32
}

// segmentText is the size of the texts that become one segment, in bytes. Fewer segments make looking up and
// respelling a term cheaper; more segments need less memory while they are built.
const segmentText = 12 << 20

// buildBase indexes entries sorted by path. It also returns their docs: a base does not keep them, since they
// hold the entries.
func buildBase(ctx context.Context, entries []*format.Entry) (*base, []*doc, error) {
	groups := grouped(entries)
	b := &base{parts: make([]basePart, len(groups)), size: len(entries), lists: newLists()}
	all := make([]*doc, 0, len(entries))
	var made panics.Group
	var failed error
	for i, group := range groups {
		docs, terms, err := analyse(ctx, group) // runs while the segment before is made
		made.Wait()
		if err = cmp.Or(failed, err); err != nil {
			return nil, nil, err
		}
		b.parts[i].first = uint32(len(all))
		all = append(all, docs...)
		made.Go(func() { failed = b.parts[i].build(terms) })
	}
	made.Wait()
	return b, all, failed
}

// grouped cuts entries into runs for one segment each.
func grouped(entries []*format.Entry) [][]*format.Entry {
	total := 0
	for _, e := range entries {
		total += sizeOf(e)
	}
	size := total/(total/segmentText+1) + 1
	var out [][]*format.Entry
	from, text := 0, 0
	for i, e := range entries {
		if text += sizeOf(e); text >= size {
			out = append(out, entries[from:i+1])
			from, text = i+1, 0
		}
	}
	if from < len(entries) {
		out = append(out, entries[from:])
	}
	return out
}

// build makes the segment of the documents' terms. That takes some six times the memory of their texts, so
// only one is made at a time.
func (p *basePart) build(terms [][]termTally) (err error) {
	if p.bytes, err = newSegment(terms); err != nil {
		return err
	}
	p.Segment, err = openSegment(p.bytes, len(terms))
	return err
}

// recovered turns a panic in the reading of a segment into an error, and records either: the segment is not
// used again.
func (b *base) recovered(err *error) {
	recovered(err, recover())
	if *err != nil {
		b.damaged.Store(true)
	}
}

// list returns the postings of a term in order of document numbers. The list is
// shared and must not be changed.
func (b *base) list(term string) (list []hit, err error) {
	if list, ok := b.lists.Get(term); ok {
		return list, nil
	}
	defer b.recovered(&err)
	for _, p := range b.parts {
		found, err := p.postings(term)
		if err != nil {
			return nil, err
		}
		if found == nil {
			continue
		}
		it := found.Iterator(true, false, false, nil)
		list = slices.Grow(list, min(int(found.Count()), b.size))
		for {
			at, err := it.Next()
			if err != nil {
				return nil, err
			}
			if at == nil {
				break
			}
			h := hit{p.first + uint32(at.Number()), tally(at.Frequency())}
			if at.Number() >= uint64(b.size) || int(h.doc) >= b.size || len(list) > 0 && h.doc <= list[len(list)-1].doc {
				return nil, errSegment
			}
			list = append(list, h)
		}
	}
	if cost := listCost(term, list); cost <= listMemory/4 {
		b.lists.Add(strings.Clone(term), list, cost) // the term may be part of a query
	}
	return list, nil
}

// count is the number of documents with a term.
func (b *base) count(term string) (n int, err error) {
	if list, ok := b.lists.Get(term); ok {
		return len(list), nil
	}
	defer b.recovered(&err)
	for _, p := range b.parts {
		found, err := p.postings(term)
		if err != nil {
			return 0, err
		}
		if found != nil {
			n += int(found.Count())
		}
	}
	return n, nil
}

// postings are the part's postings of a term, nil if there are none.
func (p *basePart) postings(term string) (segment.PostingsList, error) {
	dict, err := p.Dictionary(termsField)
	if err != nil {
		return nil, err
	}
	return dict.PostingsList([]byte(term), nil, nil)
}

// walk visits each segment's terms from first (included) to last (excluded) that an automaton accepts (all if
// it is nil), until visit returns false.
func (b *base) walk(from, to string, accept segment.Automaton, visit func(term string) bool) (err error) {
	defer b.recovered(&err)
	for _, p := range b.parts {
		dict, err := p.Dictionary(termsField)
		if err != nil {
			return err
		}
		it := termIterator(dict, accept, []byte(from), []byte(to))
		for {
			at, err := it.Next()
			if err != nil {
				return err
			}
			if at == nil {
				break
			}
			if !visit(at.Term) {
				return nil
			}
		}
	}
	return nil
}

// termIterator skips the terms' counts if the dictionary allows it: each count would need the postings.
func termIterator(dict segment.TermDictionary, accept segment.Automaton, from, to []byte) segment.DictionaryIterator {
	type countless interface {
		AutomatonIteratorOmitCount(a segment.Automaton, from, to []byte) segment.DictionaryIterator
	}
	if d, ok := dict.(countless); ok {
		return d.AutomatonIteratorOmitCount(accept, from, to)
	}
	return dict.AutomatonIterator(accept, from, to)
}

// listMemory bounds the decoded lists that a base keeps, in bytes: enough for all terms that people search in
// a tree. The lists of all 2.2 million postings of the largest set measured are 18 MB. Decoding a posting
// takes 24 ns, scoring it 3 to 8 (own measurement, on five words of 2,000 to 17,000 entries).
const listMemory = 16 << 20

func newLists() *lru.Cache[string, []hit] { return lru.New[string, []hit](listMemory) }

// listCost is the size of a list with its place in the cache, in bytes.
func listCost(term string, list []hit) int {
	return 128 + len(term) + cap(list)*int(unsafe.Sizeof(hit{}))
}
