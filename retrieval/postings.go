package retrieval

import (
	"context"
	"sync"

	index "github.com/blevesearch/bleve_index_api"
)

// match is a word's hit in one entry.
type match struct {
	doc    uint32  // bleve's document number
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
}

var collectors = sync.Pool{New: func() any { return new(collector) }}

func (p *postings) collector(ctx context.Context, pop population) *collector {
	c := collectors.Get().(*collector)
	c.ctx, c.postings, c.pop, c.respelt = ctx, p, pop, 0
	if n := len(p.docs); len(c.tf) < n {
		c.tf, c.fields, c.slots = make([]float32, n), make([]fieldSet, n), make([]int32, n)
	}
	return c
}

func (c *collector) release() {
	for _, n := range c.touched { // after an error half way
		c.tf[n], c.fields[n] = 0, 0
	}
	c.touched = c.touched[:0]
	c.ctx, c.postings = nil, nil
	collectors.Put(c)
}

// spelling is a term that counts as an occurrence of a word, with its weight.
type spelling struct {
	term   string
	weight float64
}

// matches lists the entries that hold one of the spellings.
func (c *collector) matches(spellings ...spelling) ([]match, error) {
	for _, s := range spellings {
		for f := range numFields {
			if err := c.read(s, f); err != nil {
				return nil, err
			}
		}
	}
	out := make([]match, len(c.touched))
	for i, n := range c.touched {
		out[i] = match{doc: n, tf: c.tf[n], fields: c.fields[n]}
		c.tf[n], c.fields[n] = 0, 0
	}
	c.touched = c.touched[:0]
	return out, nil
}

// read adds the postings of one term in one field.
func (c *collector) read(s spelling, f field) error {
	r, err := c.reader.TermFieldReader(c.ctx, []byte(s.term), fieldNames[f], true, false, false)
	if err != nil {
		return err
	}
	defer r.Close()
	b, weight := fieldLengths[f], fieldWeights[f]*s.weight
	perLength := b / max(1, c.pop.average[f])
	var at index.TermFieldDoc
	for {
		hit, err := r.Next(at.Reset())
		if err != nil || hit == nil {
			return err
		}
		n := uint32(hit.ID.Value())
		d := c.docs[n]
		if !c.pop.holds(d) {
			continue
		}
		if c.fields[n] == 0 {
			c.touched = append(c.touched, n)
		}
		c.tf[n] += float32(weight * float64(hit.Freq) / (1 - b + perLength*float64(d.len[f])))
		c.fields[n] |= 1 << f
	}
}

// holding is the number of entries of the whole tree that hold a term, counted in
// the field where most do: dictionaries know that without a look at the postings.
func (c *collector) holding(term string) (int, error) {
	if n, ok := c.counts.Load(term); ok {
		return n.(int), nil
	}
	most := 0
	for f := range numFields {
		r, err := c.reader.TermFieldReader(c.ctx, []byte(term), fieldNames[f], false, false, false)
		if err != nil {
			return 0, err
		}
		most = max(most, int(r.Count()))
		if err := r.Close(); err != nil {
			return 0, err
		}
	}
	c.counts.Store(term, most)
	return most, nil
}
