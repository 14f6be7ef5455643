package retrieval

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// A collection has more entries than the ranking holds: another engine stores them. That engine finds
// candidates for a question with a plain query ([Terms]), and [Collection.Rank] ranks these few as
// [Index.Search] would, with the counts of the whole collection. Fifty candidates give the order of the local
// search; the counts are necessary (docs/organisation.md).
//
// A user who may read only a part of a collection searches it as if that part were all: all counts are made
// below the filter, so that no score and no missing word reveals the rest. A word that no entry of the part
// has is respelt with the candidates' words only, and relations lead nowhere.

// Lengths are counts of a part of a collection, which can be added up.
type Lengths struct {
	Entries int              `json:"entries"`
	Sums    [numFields]int64 `json:"sums"`   // of the fields' lengths, in tokens
	Filled  [numFields]int64 `json:"filled"` // fields that are not empty
}

// Add adds a part n times; -1 takes it away.
func (l *Lengths) Add(o Lengths, n int) {
	l.Entries += n * o.Entries
	for f := range numFields {
		l.Sums[f] += int64(n) * o.Sums[f]
		l.Filled[f] += int64(n) * o.Filled[f]
	}
}

func (l *Lengths) population() population {
	p := population{size: l.Entries, sums: l.Sums, filled: l.Filled}
	p.settle()
	return p
}

func lengthsOf(p population) Lengths { return Lengths{Entries: p.size, Sums: p.sums, Filled: p.filled} }

// Analysis identifies the analysis of texts: counts that another one made are not comparable.
func Analysis() string {
	h := fnv.New64a()
	h.Write([]byte(savedVersion()))
	return fmt.Sprintf("%016x", h.Sum64())
}

// Analysed returns the terms of an entry, each as often as it occurs in any field, and its lengths. Both are
// empty if the entry is not searchable.
func Analysed(e *format.Entry) ([]string, Lengths) {
	if !format.Searchable(e) {
		return nil, Lengths{}
	}
	d, tallies := newDoc(e)
	var terms []string
	for _, t := range tallies {
		n := 0
		for f := range numFields {
			n += t.tally.count(f)
		}
		for range n {
			terms = append(terms, strings.Clone(t.term))
		}
	}
	var p population
	p.count(d, 1)
	return terms, lengthsOf(p)
}

// Term is a term to look for, and the weight of an occurrence, of 1.
type Term struct {
	Text   string
	Weight float64
}

// Terms lists the terms that find candidates for a question: its words, their other forms, and synonyms.
func Terms(text string) []Term {
	var out []Term
	for _, w := range parse(text).words {
		weight := 1.0
		switch w.kind {
		case words.Pair:
			weight = weightPair
		case words.Compound:
			weight = weightCompound
		case words.Name:
			weight = weightName
		}
		for _, s := range append(spellingsOf(w), synonymsOf(w)...) {
			out = append(out, Term{s.term, weight * s.weight})
		}
	}
	return out
}

func spellingsOf(w word) []spelling {
	out := []spelling{{w.term, 1}}
	if w.kind == words.Plain {
		for _, form := range words.Forms(w.term) {
			out = append(out, spelling{form, formCredit})
		}
	}
	for _, other := range w.also {
		out = append(out, spelling{words.Stem(other), formCredit})
	}
	return out
}

func synonymsOf(w word) (out []spelling) {
	if w.kind == words.Plain {
		for _, other := range words.Synonyms(w.term) {
			out = append(out, spelling{other, synonymCredit})
		}
	}
	return out
}

// Collection holds the counts of a collection that ranking needs.
type Collection struct {
	Lengths
	// Count returns how many entries have at least one of the terms of each group.
	Count func(ctx context.Context, groups [][]string) ([]int, error)
}

// Rank ranks candidates for a question. Their paths must differ. The query's scope and encoder are ignored.
func (c Collection) Rank(ctx context.Context, candidates []*format.Entry, q Query) (Result, error) {
	s, err := buildStore(ctx, nil)
	if err == nil {
		err = s.apply(ctx, change{put: searchable(candidates)}, candidates) // so few need no segments
	}
	if err != nil {
		return Result{}, err
	}
	x := newIndex(tree.NewSnapshot(candidates, nil), s, nil)
	if x.whole.size < c.Entries { // otherwise its counts are of other entries
		x.whole = c.population()
	}
	if x.counts, err = c.counts(ctx, x.docs, q.Text); err != nil {
		return Result{}, err
	}
	q.ByMeaning = false
	return x.searchIn(ctx, q, "", q.Text)
}

// counts requests all counts that a ranking compares: words with their forms, single words, and those of
// titles.
func (c Collection) counts(ctx context.Context, docs []*doc, text string) (map[string]int, error) {
	var groups [][]string
	out := map[string]int{}
	want := func(terms ...string) {
		if _, ok := out[strings.Join(terms, " ")]; !ok {
			out[strings.Join(terms, " ")] = 0
			groups = append(groups, terms)
		}
	}
	for _, w := range parse(text).words {
		var terms []string
		for _, s := range spellingsOf(w) {
			terms = append(terms, s.term)
		}
		want(terms...)
		want(w.term)
		for _, s := range synonymsOf(w) {
			want(s.term)
		}
	}
	for _, d := range docs {
		for _, t := range d.titles {
			want(t)
		}
	}
	n, err := c.Count(ctx, groups)
	if err == nil && len(n) != len(groups) {
		err = fmt.Errorf("got %d counts for %d groups of terms", len(n), len(groups))
	}
	if err != nil {
		return nil, err
	}
	for i, g := range groups {
		out[strings.Join(g, " ")] = min(max(0, n[i]), c.Entries)
	}
	return out, nil
}

// holders is the number of entries of the whole collection that have one of the spellings, if so many of the
// candidates do.
func (c *collector) holders(here int, spellings []spelling) int {
	if c.counts == nil {
		return here
	}
	terms := make([]string, len(spellings))
	for i, s := range spellings {
		terms[i] = s.term
	}
	return max(here, c.counts[strings.Join(terms, " ")])
}

// Part is a part of a collection in memory: the entries of one repository. It never changes.
type Part struct{ x *Index }

// NewPart indexes entries, whose paths differ.
func NewPart(ctx context.Context, entries []*format.Entry) (*Part, error) {
	s, err := buildStore(ctx, entries)
	if err != nil {
		return nil, err
	}
	return &Part{newIndex(nil, s, nil)}, nil
}

// Count is the number of its entries that hold one of the terms.
func (p *Part) Count(ctx context.Context, terms []string) (int, error) {
	c := p.x.collector(ctx, p.x.whole)
	defer c.release()
	spellings := make([]spelling, len(terms))
	for i, t := range terms {
		spellings[i] = spelling{t, 1}
	}
	found, err := c.matches(spellings...)
	return len(found), err
}

// Best finds, in parts of a collection of those lengths, at most so many entries that match most of the
// terms, by the plain sum of BM25F. Entries of one score are in the order of their paths.
func Best(ctx context.Context, parts []*Part, l Lengths, terms []Term, most int) ([]*format.Entry, error) {
	type scored struct {
		entry *format.Entry
		score float64
	}
	whole := l.population()
	score := map[*format.Entry]float64{}
	for _, t := range terms {
		var found []scored
		for _, p := range parts {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			c := p.x.collector(ctx, whole)
			matches, err := c.matchesOf(spelling{t.Text, 1})
			for _, m := range matches {
				found = append(found, scored{p.x.docs[m.doc].entry, saturate(float64(m.tf))})
			}
			c.release()
			if err != nil {
				return nil, err
			}
		}
		for _, f := range found {
			score[f.entry] += t.Weight * idf(whole.size, len(found)) * f.score
		}
	}
	all := make([]scored, 0, len(score))
	for e, s := range score {
		all = append(all, scored{e, s})
	}
	slices.SortFunc(all, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.entry.Path, b.entry.Path))
	})
	out := make([]*format.Entry, 0, most)
	for _, s := range all[:min(most, len(all))] {
		out = append(out, s.entry)
	}
	return out, nil
}
