package retrieval

import (
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Words of the query that stand close together in the text are more likely about one
// thing. Two signs of it, both of the sequential dependence model (Metzler and Croft,
// "A Markov random field model for term dependencies", SIGIR 2005): how much of the
// query a short stretch of text holds in any order, and how often two neighbouring
// words of the query are neighbours there, stop words left out. A passage is too long
// for either; the stretch is about a sentence.

// place is the position of a query word in the text of an entry.
type place struct {
	start, end int     // bytes of the entry's text; before it for the title, behind it for the summary
	clause     int     // number of the word
	weight     float64 // 1 for the word itself
}

// wordKey is the query word that a term belongs to.
type wordKey struct {
	clause int
	weight float64
}

// closeness scores query words that are close together in the entry counted last, in idf.
func (l *lens) closeness(d *doc) float64 {
	clear(l.sum)  // per word, how often it follows the word before it
	clear(l.held) // per word, its weight in the present stretch
	best := 0.0
	for i, p := range l.places {
		held, from := 0.0, i
		for ; from >= 0 && p.start-l.places[from].start < nearBytes; from-- {
			q := l.places[from]
			if more := q.weight - l.held[q.clause]; more > 0 {
				held += more * l.worth(q.clause)
				l.held[q.clause] = q.weight
			}
			if l.before[p.clause] == q.clause && adjoin(d.entry, q.end, p.start) {
				l.sum[p.clause] += min(p.weight, q.weight)
			}
		}
		for _, q := range l.places[from+1 : i+1] {
			l.held[q.clause] = 0
		}
		best = max(best, held)
	}
	pairs := 0.0
	for k, n := range l.sum {
		if n > 0 {
			pairs += min(l.worth(k), l.worth(l.before[k])) * n * (1 + neighbourSaturation) / (n + neighbourSaturation)
		}
	}
	return nearness*best + neighbours*pairs
}

// worth returns the value of one query word in a stretch, in idf.
func (l *lens) worth(clause int) float64 {
	return l.clauses[clause].credit * l.clauses[clause].value()
}

// order fills in the preceding plain word of each word.
func (l *lens) order() {
	last := -1
	for i := range l.clauses {
		l.before[i] = -1
		if l.clauses[i].kind == words.Plain {
			l.before[i] = last
			last = i
		}
	}
}

// maxGap bounds what may stand between two neighbours, in bytes: a few stop words.
const maxGap = 24

// adjoin reports whether only stop words and signs are between two places of an entry.
func adjoin(e *format.Entry, from, to int) bool {
	text := e.Text
	switch {
	case to < 0:
		text, from, to = e.Title, from+len(e.Title)+nearBytes, to+len(e.Title)+nearBytes
	case from > len(e.Text):
		text, from, to = e.Summary, from-len(e.Text)-nearBytes, to-len(e.Text)-nearBytes
	}
	if from > to || to-from > maxGap {
		return false
	}
	empty := true
	words.Each(text[from:to], func(t words.Token) { empty = empty && t.Stop })
	return empty
}
