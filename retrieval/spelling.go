package retrieval

import (
	"cmp"
	"slices"
	"unicode/utf8"

	index "github.com/blevesearch/bleve_index_api"
)

// A word that no entry holds is tried as a typing error and as the beginning of a
// longer word. Only such words are: expanding words that do match costs recall,
// because an entry full of near-words then beats one that says what was asked.

const (
	maxSpellings = 8   // other terms that a word may stand for
	maxTried     = 512 // dictionary entries looked at for one word and field
	maxRespelt   = 8   // words of one query: who knows none of so many is elsewhere
)

// What another spelling counts, of 1. An own choice: a near-word must not outdo
// an exact one, and the reference system's weights (0.45 fuzzy, 0.375 prefix) are
// of the same order.
const (
	creditOneEdit  = 0.6
	creditTwoEdits = 0.4
	creditPrefix   = 0.5
)

// spellingFields are the fields whose dictionaries are searched; the words of
// the others stand in these too.
var spellingFields = []field{fieldTitle, fieldLabels, fieldPath, fieldBody}

// respell fills a clause without matches with those of the nearest known terms.
func (c *collector) respell(cl *clause) error {
	near, err := c.nearTerms(cl.term)
	if err != nil || len(near) == 0 {
		return err
	}
	best := near[0].weight
	cut := slices.IndexFunc(near, func(s spelling) bool { return s.weight < best })
	if cut > 0 {
		near = near[:cut] // nothing further away than the nearest
	}
	near = near[:min(maxSpellings, len(near))]
	m, err := c.matches(near...)
	if err != nil || len(m) == 0 {
		return err
	}
	cl.spelling, cl.credit, cl.matches = near, best, m
	return nil
}

// nearTerms lists known terms like the given one, nearest first.
func (c *collector) nearTerms(term string) ([]spelling, error) {
	found := map[string]float64{}
	for _, f := range spellingFields {
		if err := c.fuzzy(found, term, fieldNames[f]); err != nil {
			return nil, err
		}
		if err := c.prefixed(found, term, fieldNames[f]); err != nil {
			return nil, err
		}
	}
	out := make([]spelling, 0, len(found))
	for t, w := range found {
		out = append(out, spelling{t, w})
	}
	slices.SortFunc(out, func(a, b spelling) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(len(a.term), len(b.term)), cmp.Compare(a.term, b.term))
	})
	return out, nil
}

// edits is the number of typing errors allowed in a term: short words are too
// close to each other, and numbers are never misspelt but different.
func edits(term string) int {
	switch n := utf8.RuneCountInString(term); {
	case !isLowerASCII(term) || n < 4:
		return 0
	case n < 8:
		return 1
	}
	return 2
}

func (c *collector) fuzzy(found map[string]float64, term, field string) error {
	n := edits(term)
	reader, ok := c.reader.(index.IndexReaderFuzzy)
	if n == 0 || !ok {
		return nil
	}
	dict, automaton, err := reader.FieldDictFuzzyAutomaton(field, term, n, term[:1])
	if err != nil {
		return err
	}
	return eachTerm(dict, func(t string) {
		credit := creditTwoEdits
		if n == 1 {
			credit = creditOneEdit
		} else if _, d := automaton.MatchAndDistance(t); d <= 1 {
			credit = creditOneEdit
		}
		found[t] = max(found[t], credit)
	})
}

func (c *collector) prefixed(found map[string]float64, term, field string) error {
	if len(term) < 3 || isDigits(term) {
		return nil
	}
	dict, err := c.reader.FieldDictPrefix(field, []byte(term))
	if err != nil {
		return err
	}
	return eachTerm(dict, func(t string) { found[t] = max(found[t], creditPrefix) })
}

// eachTerm visits a dictionary's terms up to maxTried.
func eachTerm(dict index.FieldDict, visit func(string)) error {
	defer dict.Close()
	for range maxTried {
		entry, err := dict.Next()
		if err != nil || entry == nil {
			return err
		}
		visit(entry.Term)
	}
	return nil
}
