package retrieval

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/internal/words"
)

// postings is the part of an [Index] that depends only on the searchable entries. It never changes; base and
// delta are shared with earlier and later indexes.
type postings struct {
	base   *base
	delta  *delta
	docs   []*doc   // by document number; nil where an entry is gone
	bodies []int32  // their body lengths in tokens; -1 where an entry is gone
	dead   []uint32 // the documents of the base that are gone, rising
	whole  population
	places func() places
	counts map[string]int // by terms: how many entries of the whole collection have one; see [Collection]

	titleMasses []atomic.Uint64 // by document number: see ranking.titleMass; 0 where not worked out
}

// match is a word's hit in one entry.
type match struct {
	doc    uint32  // document number
	tf     float32 // occurrences, weighted and normalised over the fields
	fields fieldSet
}

// fieldSet is a set of fields, one bit each.
type fieldSet uint16

func (s fieldSet) has(f field) bool { return s&(1<<f) != 0 }

// names lists the set's fields.
func (s fieldSet) names() []string {
	var out []string
	for f := range numFields {
		if s.has(f) {
			out = append(out, fieldNames[f])
		}
	}
	return out
}

// collector reads postings. It belongs to one search at a time; its arrays are
// indexed by document number and zero between two words.
type collector struct {
	ctx context.Context
	*postings
	pop     population
	respelt int // words tried in other spellings
	touched []uint32
	tf      []float32
	fields  []fieldSet
	slots   []int32 // see ranking
	room    []match // what matches are appended to; theirs until release
	pool    []candidate
}

var collectors = sync.Pool{New: func() any { return new(collector) }}

func (p *postings) collector(ctx context.Context, pop population) *collector {
	c := collectors.Get().(*collector)
	c.ctx, c.postings, c.pop, c.respelt = ctx, p, pop, 0
	if n := len(p.docs); len(c.tf) < n {
		n += n / 8 // the next edit must not cost new arrays
		c.tf, c.fields, c.slots = make([]float32, n), make([]fieldSet, n), make([]int32, n)
	}
	return c
}

func (c *collector) release() {
	for _, n := range c.touched { // after an error half way through
		c.tf[n], c.fields[n] = 0, 0
	}
	c.touched, c.room = c.touched[:0], c.room[:0]
	c.ctx, c.postings = nil, nil
	if cap(c.room) > maxRoom {
		c.room, c.pool = nil, nil
	}
	collectors.Put(c)
}

// maxRoom bounds what a collector keeps for the next search, in matches of 12 bytes.
const maxRoom = 1 << 20

// roomFor is an empty list with room for n matches.
func (c *collector) roomFor(n int) []match {
	if cap(c.room)-len(c.room) < n {
		c.room = make([]match, 0, max(n, 2*cap(c.room), 1<<12)) // earlier lists keep the old one
	}
	at := len(c.room)
	c.room = c.room[:at+n]
	return c.room[at : at : at+n]
}

// spelling is a term that counts as an occurrence of a word, with its weight.
type spelling struct {
	term   string
	weight float64
}

// matches lists the entries that hold one of the spellings.
func (c *collector) matches(spellings ...spelling) ([]match, error) {
	if len(spellings) == 1 {
		return c.matchesOf(spellings[0])
	}
	for _, s := range spellings {
		found, err := c.matchesOf(s)
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			if c.fields[m.doc] == 0 {
				c.touched = append(c.touched, m.doc)
			}
			c.tf[m.doc] += m.tf
			c.fields[m.doc] |= m.fields
		}
	}
	out := c.roomFor(len(c.touched))
	for _, n := range c.touched {
		out = append(out, match{doc: n, tf: c.tf[n], fields: c.fields[n]})
		c.tf[n], c.fields[n] = 0, 0
	}
	c.touched = c.touched[:0]
	return out, nil
}

// matchesOf lists the entries that hold a term.
func (c *collector) matchesOf(s spelling) ([]match, error) {
	old, err := c.base.list(s.term)
	if err != nil {
		return nil, err
	}
	added := c.delta.list(s.term, uint32(len(c.docs)))
	if len(old)+len(added) == 0 {
		return nil, nil
	}
	w := c.weights(s.weight)
	out := c.roomFor(len(old) + len(added))
	out = c.score(out, old, w)
	return c.score(out, added, w), nil
}

// termWeights are the weights of an occurrence of a term in each field, and the effect of the field's length.
type termWeights struct {
	weight, plain, perToken [numFields]float64
}

func (c *collector) weights(weight float64) *termWeights {
	w := &termWeights{}
	for f := range numFields {
		b := fieldLengths[f]
		w.weight[f], w.plain[f], w.perToken[f] = fieldWeights[f]*weight, 1-b, b/max(1, c.pop.average[f])
	}
	return w
}

// tf returns the weighted frequency of so many occurrences in a field of a length.
func (w *termWeights) tf(f field, count int, length int32) float32 {
	return float32(w.weight[f] * float64(count) / (w.plain[f] + w.perToken[f]*float64(length)))
}

// score appends the matches of a list's living documents. Most terms occur only in the body, and body lengths
// are stored side by side, so most postings cost one division.
func (c *collector) score(out []match, list []hit, w *termWeights) []match {
	everywhere := c.pop.scope == ""
	for _, h := range list {
		length := c.bodies[h.doc]
		if length < 0 || !everywhere && !c.pop.holds(c.docs[h.doc]) {
			continue
		}
		if h.tally <= bodyAlone {
			out = append(out, match{h.doc, w.tf(fieldBody, int(h.tally), length), 1 << fieldBody})
			continue
		}
		m := match{doc: h.doc}
		lengths := &c.docs[h.doc].len
		for f := range numFields {
			if n := h.tally.count(f); n > 0 {
				m.tf += w.tf(f, n, lengths[f])
				m.fields |= 1 << f
			}
		}
		out = append(out, m)
	}
	return out
}

// holding is the number of entries of the whole tree that have a term in any field. If the base is unchanged,
// its dictionary has the number, so the postings are not needed.
func (c *collector) holding(term string) (int, error) {
	if c.counts != nil {
		return c.counts[term], nil
	}
	added := c.delta.list(term, uint32(len(c.docs)))
	n := 0
	for _, h := range added {
		if c.bodies[h.doc] >= 0 {
			n++
		}
	}
	if len(c.dead) == 0 {
		old, err := c.base.count(term)
		return n + old, err
	}
	old, err := c.base.list(term)
	if err != nil {
		return 0, err
	}
	n += len(old)
	for _, gone := range c.dead {
		at, ok := slices.BinarySearchFunc(old, gone, func(h hit, n uint32) int { return int(h.doc) - int(n) })
		if old = old[at:]; ok {
			n--
		}
	}
	return n, nil
}

// knows reports whether entries have all words of a text.
func (c *collector) knows(text string) bool {
	all := true
	words.Each(text, func(t words.Token) {
		if t.Kind == words.Plain {
			n, err := c.holding(t.Term)
			all = all && err == nil && n > 0
		}
	})
	return all
}
