package retrieval

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Score is a hit's raw score taken apart: (BM25 + Title + Heading + Passage + Near + Meaning) × Lifecycle.
type Score struct {
	BM25      float64     // the words, by their rarity and frequency
	Title     float64     // agreement of the title with the query
	Heading   float64     // agreement of a section's heading
	Passage   float64     // how much of the query stands together in one passage
	Near      float64     // how close together the words are
	Meaning   float64     // with an encoder: similarity to the question
	Lifecycle float64     // factor of importance, recency and maturity, close to 1
	Coverage  float64     // share of the query, by rarity, that occurs in the entry
	Terms     []TermScore // the parts of BM25
}

// TermScore is one query word's part of a score.
type TermScore struct {
	Word   string   // as written in the query
	Terms  []string // the terms that were looked up: the word's stem and other forms or spellings, and synonyms if the entry has one
	Extra  bool     // joined form of words that count by themselves
	IDF    float64
	TF     float64 // occurrences, weighted and normalised over the fields
	Score  float64
	Fields []string // where it stands
}

// String is the explanation in one line.
func (s Score) String() string {
	var b strings.Builder
	like := ""
	if s.Meaning != 0 {
		like = fmt.Sprintf(" + meaning %.2f", s.Meaning)
	}
	fmt.Fprintf(&b, "(bm25 %.2f + title %.2f + heading %.2f + passage %.2f + near %.2f%s) × lifecycle %.3f, coverage %.0f%%:", s.BM25,
		s.Title, s.Heading, s.Passage, s.Near, like, s.Lifecycle, 100*s.Coverage)
	for _, t := range s.Terms {
		fmt.Fprintf(&b, " %s %.2f [%s]", t.Word, t.Score, strings.Join(t.Fields, " "))
	}
	return b.String()
}

// explain fills in the parts of the finalists' scores.
func (r *ranking) explain(best []finalist) []Score {
	out := make([]Score, len(best))
	for i, c := range best {
		out[i] = Score{
			BM25: c.bm25, Title: c.title, Heading: c.heading, Passage: c.together, Near: c.close, Meaning: c.meaning,
			Lifecycle: c.lifecycle, Coverage: r.share(c.covered),
		}
		r.slots[c.doc] = int32(i + 1)
	}
	for i := range r.clauses {
		cl := &r.clauses[i]
		parts := make([]TermScore, len(best))
		for _, m := range cl.matches {
			if slot := r.slots[m.doc]; slot > 0 {
				parts[slot-1] = cl.explain(parts[slot-1], m, cl.spelling)
			}
		}
		for _, m := range cl.loose {
			if slot := r.slots[m.doc]; slot > 0 {
				parts[slot-1] = cl.explain(parts[slot-1], m, cl.synonyms)
			}
		}
		for j, t := range parts {
			if t.TF > 0 {
				out[j].Terms = append(out[j].Terms, t)
			}
		}
	}
	for i, c := range best {
		r.slots[c.doc] = 0
		slices.SortStableFunc(out[i].Terms, func(a, b TermScore) int { return cmp.Compare(b.Score, a.Score) })
	}
	return out
}

// explain adds a match of some spellings to the clause's part of a score.
func (c *clause) explain(t TermScore, m match, as []spelling) TermScore {
	t.Word, t.Extra, t.IDF = c.text, !c.counts, c.idf
	t.TF += float64(m.tf)
	t.Score = c.value() * saturate(t.TF)
	for _, s := range as {
		t.Terms = append(t.Terms, s.term)
	}
	for _, f := range m.fields.names() {
		if !slices.Contains(t.Fields, f) {
			t.Fields = append(t.Fields, f)
		}
	}
	return t
}
