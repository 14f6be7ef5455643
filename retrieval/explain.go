package retrieval

import (
	"cmp"
	"fmt"
	"slices"
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

// explain takes the scores of finalists apart.
func (r *ranking) explain(best []finalist) []Score {
	out := make([]Score, len(best))
	for i, c := range best {
		out[i] = Score{
			BM25: c.bm25, Title: c.title, Heading: c.heading, Passage: c.together,
			Lifecycle: c.lifecycle, Coverage: r.share(c.covered),
		}
		r.slots[c.doc] = int32(i + 1)
	}
	for i := range r.clauses {
		cl := &r.clauses[i]
		for _, m := range cl.matches {
			if slot := r.slots[m.doc]; slot > 0 {
				out[slot-1].Terms = append(out[slot-1].Terms, cl.explain(m))
			}
		}
	}
	for i, c := range best {
		r.slots[c.doc] = 0
		slices.SortStableFunc(out[i].Terms, func(a, b TermScore) int { return cmp.Compare(b.Score, a.Score) })
	}
	return out
}

// explain is the part of a match in its entry's score.
func (c *clause) explain(m match) TermScore {
	t := TermScore{
		Word: c.text, Extra: !c.counts, IDF: c.idf, TF: float64(m.tf),
		Score: c.value() * saturate(float64(m.tf)), Fields: m.fields.names(),
	}
	for _, s := range c.spelling {
		t.Terms = append(t.Terms, s.term)
	}
	return t
}
