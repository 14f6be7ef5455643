package retrieval

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Score is a hit's raw score taken apart: (BM25 + Title + Heading + Passage) × Lifecycle.
type Score struct {
	BM25      float64     // the words, by their rarity and frequency
	Title     float64     // how far the title is what was asked for
	Heading   float64     // how far a section's heading is
	Passage   float64     // how much of the query stands together in one passage
	Lifecycle float64     // factor of importance, recency and maturity, close to 1
	Coverage  float64     // share of the query, by rarity, that the entry holds
	Terms     []TermScore // what BM25 is made of
}

// TermScore is the part that one word of the query has in a score.
type TermScore struct {
	Word   string   // as written in the query
	Terms  []string // what was looked up: the word's stem, or its other spellings
	Extra  bool     // joined form of words that count by themselves
	IDF    float64
	TF     float64 // occurrences, weighted and normalised over the fields
	Score  float64
	Fields []string // where it stands
}

// String is the explanation in one line.
func (s Score) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "(bm25 %.2f + title %.2f + heading %.2f + passage %.2f) × lifecycle %.3f, coverage %.0f%%:", s.BM25, s.Title, s.Heading, s.Passage, s.Lifecycle, 100*s.Coverage)
	for _, t := range s.Terms {
		fmt.Fprintf(&b, " %s %.2f [%s]", t.Word, t.Score, strings.Join(t.Fields, " "))
	}
	return b.String()
}

// explain takes a candidate's score apart.
func (r *ranking) explain(c candidate) Score {
	s := Score{BM25: c.bm25, Title: c.title, Heading: c.heading, Passage: c.together, Lifecycle: c.lifecycle, Coverage: r.share(c.covered)}
	for i := range r.clauses {
		cl := &r.clauses[i]
		m, ok := cl.find(c.doc)
		if !ok {
			continue
		}
		t := TermScore{
			Word: cl.text, Extra: !cl.counts, IDF: cl.idf, TF: float64(m.tf),
			Score: cl.value() * saturate(float64(m.tf)), Fields: m.fields.names(),
		}
		for _, sp := range cl.spelling {
			t.Terms = append(t.Terms, sp.term)
		}
		s.Terms = append(s.Terms, t)
	}
	slices.SortStableFunc(s.Terms, func(a, b TermScore) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	return s
}

// find returns the clause's match in a doc.
func (c *clause) find(doc uint32) (match, bool) {
	if !c.sorted {
		sort.Slice(c.matches, func(i, j int) bool { return c.matches[i].doc < c.matches[j].doc })
		c.sorted = true
	}
	i, ok := slices.BinarySearchFunc(c.matches, doc, func(m match, d uint32) int { return int(int64(m.doc) - int64(d)) })
	if !ok {
		return match{}, false
	}
	return c.matches[i], true
}
