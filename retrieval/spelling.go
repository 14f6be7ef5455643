package retrieval

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/blevesearch/vellum"
	"github.com/blevesearch/vellum/levenshtein"

	"github.com/brv-lsp/brv-lsp/internal/words"
)

// A word that is neither in an entry nor in English is tried as a typing error and as the beginning of a longer
// word. Only such words are: expanding words that do match costs recall, because an entry full of similar words would beat
// one with the exact words.

const (
	maxSpellings = 8    // other terms that a word may stand for
	maxTried     = 4096 // terms of the base looked at for one word, by edits and by prefix each
	maxRespelt   = 8    // words of one query: with more unknown words, it is about another subject
)

// What another spelling counts, of 1. An own choice: a near-word must not outdo
// an exact one, and the reference system's weights (0.45 fuzzy, 0.375 prefix) are
// of the same order.
const (
	creditOneEdit  = 0.6
	creditTwoEdits = 0.4
	creditPrefix   = 0.5
)

// respell fills a clause without matches with those of the nearest known terms.
func (c *collector) respell(cl *clause) error {
	near, err := c.nearTerms(cl.word)
	if err != nil || len(near) == 0 {
		return err
	}
	m, err := c.matches(near...)
	if err != nil || len(m) == 0 {
		return err
	}
	cl.spelling, cl.credit, cl.matches, cl.holding = near, near[0].weight, m, len(m)
	return nil
}

// nearTerms lists the terms nearest to a word, all equally near, the
// shortest first. A term whose entries are all gone, or came after this index, is
// none. A word of English is spelt correctly and stands for no other.
func (c *collector) nearTerms(w word) ([]spelling, error) {
	written, found := words.Fold(w.text), map[string]float64{}
	english := words.Lexicon(written[:1])
	if _, correct := slices.BinarySearch(english, written); correct {
		return nil, nil
	}
	if err := c.nearly(found, written, english); err != nil {
		return nil, err
	}
	if w.term != written {
		if err := c.nearly(found, w.term, nil); err != nil {
			return nil, err
		}
	}
	if err := c.prefixed(found, w.term); err != nil {
		return nil, err
	}
	all := make([]spelling, 0, len(found))
	for t, w := range found {
		all = append(all, spelling{t, w})
	}
	slices.SortFunc(all, func(a, b spelling) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(len(a.term), len(b.term)), cmp.Compare(a.term, b.term))
	})
	var near []spelling
	for _, s := range all {
		if len(near) == maxSpellings || len(near) > 0 && s.weight < near[0].weight {
			break
		}
		n, err := c.holding(s.term)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			near = append(near, s)
		}
	}
	return near, nil
}

// edits is the number of typing errors allowed in a term: short words are too
// close to each other, and numbers are never misspelt but different.
func edits(term string) int {
	switch n := utf8.RuneCountInString(term); {
	case !words.IsLowerASCII(term) || n < 4:
		return 0
	case n < 8:
		return 1
	}
	return 2
}

// automatons make the automata that accept terms by edit distance. They are large
// tables, made with the first misspelt word.
var automatons = sync.OnceValue(func() (out [3]*levenshtein.LevenshteinAutomatonBuilder) {
	for n := 1; n < len(out); n++ {
		b, err := levenshtein.NewLevenshteinAutomatonBuilder(uint8(n), true)
		if err != nil {
			panic(err) // the distances are constants
		}
		out[n] = b
	}
	return out
})

// nearly finds the terms that are a few edits away from a form of a word and start with the same letter, and those of
// the English words that are.
func (c *collector) nearly(found map[string]float64, form string, english []string) error {
	n := edits(form)
	if n == 0 {
		return nil
	}
	accept, err := automatons()[n].BuildDfa(form, uint8(n))
	if err != nil {
		return err
	}
	keep := func(other, term string) {
		if len(other) > len(form)+n || len(form) > len(other)+n {
			return
		}
		if ok, d := accept.MatchAndDistance(other); ok && d <= 1 {
			found[term] = max(found[term], creditOneEdit)
		} else if ok {
			found[term] = max(found[term], creditTwoEdits)
		}
	}
	for _, w := range english {
		if near, _ := accept.MatchAndDistance(w); near { // stemming every word takes longer than all else here
			keep(w, words.Stem(w))
		}
	}
	for _, t := range c.delta.starting(form[0]) {
		keep(t, t)
	}
	return c.eachTerm(form[:1], accept, func(t string) { keep(t, t) })
}

// prefixed finds longer terms that start with the term.
func (c *collector) prefixed(found map[string]float64, term string) error {
	if len(term) < 3 || words.IsDigits(term) {
		return nil
	}
	keep := func(t string) { found[t] = max(found[t], creditPrefix) }
	for _, t := range c.delta.starting(term[0]) {
		if strings.HasPrefix(t, term) {
			keep(t)
		}
	}
	return c.eachTerm(term, nil, keep)
}

// eachTerm visits the base's terms with a prefix that an automaton accepts, up to
// maxTried of them.
func (c *collector) eachTerm(prefix string, accept vellum.Automaton, visit func(string)) error {
	end := []byte(prefix)
	end[len(end)-1]++ // no term has the byte 255, which UTF-8 does not use
	tried := 0
	return c.base.walk(prefix, string(end), accept, func(t string) bool {
		visit(t)
		tried++
		return tried < maxTried
	})
}
