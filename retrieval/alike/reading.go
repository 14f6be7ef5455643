package alike

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/retrieval/words"
)

// The reading of a question keeps everything that can change the answer and drops what
// cannot: politeness, articles, plurals, who asks.
//
//	Could you tell me how long refresh tokens are valid in staging?
//	mood how · words how_long, refresh, token, valid · in{staging}
//
// The words are cut into phrases: a relation ("in", "from", "than", "when") with
// the words behind it. What stands behind none is the core.

// reading is what a question is compared by.
type reading struct {
	bag     uint64    // of the words' terms, whatever their order
	stems   []string  // of the words, sorted
	words   []word    // content, in order
	sorted  []word    // the same, sorted by term
	phrases []phrase  // the core first
	mood    string    // question word: "", what, howto, how, when, where, why, who, whose, whether
	helper  string    // be or do, if the question has one
	tense   string    // past, and the modal verbs
	negated int       // negations of the helper: doesn't
	hints   [3]string // words that may be missing, but not differ: my/our, this/that, any
	owners  []string  // terms with a possessive 's
	quotes  []string  // quoted texts of several words
	text    string    // all words, folded, for quotes
	ordered bool      // somebody acts: order counts, see agree
	numbers int
}

// word is a word of content.
type word struct {
	term    string // folded; of plain words the singular
	plain   string // folded
	parts   string // an identifier's parts, "" for one that has only one
	code    string // as written, if in quotes
	exact   bool   // a name: its plural is another name
	joined  bool   // its parts are joined by signs
	numeric bool
	sign    bool // an operator
}

// phrase is a relation and the words it governs.
type phrase struct {
	relation string // "" for the core
	words    []word
	joints   []int // where in words an "and" stands
	head     int   // number of words of the question before it
}

// read reads a text; hyphenated words are names, or words of their own.
// It returns nil if there is no content to compare.
func read(text string, apart bool) *reading {
	q := &reading{}
	lexemes, quotes := lex(text, apart)
	q.quotes = quotes
	rest := stripRequests(lexemes)
	requested := len(rest) > 0 && &rest[0] != &lexemes[0]
	(&reader{reading: q, lexemes: rest, requested: requested}).read()
	if len(q.words) == 0 {
		return nil
	}
	q.finish(text)
	return q
}

// readWord finds what a word is compared by.
func readWord(l lexeme) word {
	w := word{plain: l.low, term: l.low}
	if l.code {
		w.code, w.exact = l.raw, true
	}
	made := makeupOf(l.raw)
	w.numeric = numerals[l.low] || made.digits
	switch {
	case l.low == "it" || l.low == "us":
		w.term = strings.ToUpper(l.low) // the acronym
	case l.low == "has":
		w.term, w.plain = "have", "have"
	case strings.HasPrefix(l.raw, "-"): // a flag or a negative number
		w.term, w.plain = l.raw, l.raw
	case made.signs || !made.letters:
		w.sign = !made.letters && !made.digits
		if path := strings.TrimRight(l.low, "/"); path != "" && !strings.HasSuffix(l.low, "//") {
			w.term, w.plain = path, path
		}
	default:
		w.readName(l, made)
	}
	return w
}

// readName reads a word of letters, digits and joining signs.
func (w *word) readName(l lexeme, made makeup) {
	var names []string
	for _, part := range words.Split(l.raw) {
		names = append(names, words.Fold(part))
	}
	switch {
	case len(names) > 1:
		w.parts, w.exact = strings.Join(names, "_"), true
		w.joined = made.joined && len(names[0]) > 1 // e-mail is email
		w.term = strings.Join(names, "")
		if made.digits && made.joined {
			w.term = w.parts // 1_23 is not 12_3
		}
		w.plain = w.term
		return
	case made.joined && len(names) == 1: // _name
		w.term, w.plain = names[0], names[0]
	}
	if made.digits {
		return
	}
	r, n := utf8.DecodeRuneInString(l.raw)
	if !l.initial && unicode.IsUpper(r) && hasLower(l.raw[n:]) && !isPluralAcronym(l.raw) {
		w.exact = true
	}
	w.term = singular(w.plain)
}

// makeup tells what a word is made of.
type makeup struct{ letters, digits, joined, signs bool }

func makeupOf(word string) (m makeup) {
	for _, r := range word {
		switch {
		case r == '_' || r == '-':
			m.joined = true
		case unicode.IsDigit(r):
			m.digits = true
		case unicode.IsLetter(r) || unicode.IsMark(r):
			m.letters = true
		default:
			m.signs = true
		}
	}
	return m
}

// isPluralAcronym reports whether s is capitals and an s: APIs.
func isPluralAcronym(s string) bool {
	base, ok := strings.CutSuffix(s, "s")
	return ok && !hasLower(base)
}

var bagSeed = maphash.MakeSeed()

// finish computes what is compared first.
func (q *reading) finish(text string) {
	q.sorted = slices.Clone(q.words)
	slices.SortFunc(q.sorted, compareWords)
	for _, w := range q.sorted {
		q.stems = append(q.stems, words.Stem(w.term))
	}
	slices.Sort(q.stems)
	q.stems = slices.Compact(q.stems)
	var h maphash.Hash
	h.SetSeed(bagSeed)
	for _, w := range q.sorted {
		h.WriteString(w.term)
		h.WriteByte(0)
	}
	q.bag = h.Sum64()
	q.ordered = q.ordered || q.hasOrder(text)
	q.text = foldedWords(text)
}

// hasOrder reports whether the order of a question's words may tell something.
func (q *reading) hasOrder(text string) bool {
	bound := func(w word) bool { return focusing[w.plain] || w.sign }
	return q.numbers > 1 || q.opposed() || q.acts() || isAboutTwo(text) ||
		slices.ContainsFunc(q.words, bound) ||
		len(q.words) == 2 && len(q.phrases[0].joints) == 0 || // a log error is no error log
		q.helper == "" && (q.mood == "who" || q.mood == "what") || // who calls billing
		strings.ContainsFunc(words.Fold(text), func(r rune) bool { return r > unicode.MaxASCII }) // no English
}

func compareWords(a, b word) int {
	return cmp.Or(
		strings.Compare(a.term, b.term),
		strings.Compare(a.plain, b.plain),
		strings.Compare(a.parts, b.parts),
		strings.Compare(a.code, b.code),
	)
}

// isAboutTwo reports whether a text has capitals in two places or more: two names
// can change places. A text that begins with a capital need not begin with a name.
func isAboutTwo(text string) bool {
	if isTitled(text) {
		return false
	}
	names, before := 0, false
	for i, w := range strings.Fields(text) {
		r, n := utf8.DecodeRuneInString(w)
		low := strings.ToLower(cutApostrophe(w))
		name := unicode.IsUpper(r) && hasLower(w[n:]) && !(i == 0 && (isQuestionWord(low) || isHelper(low) || words.IsStop(low)))
		if name && !before {
			names++
		}
		before = name
	}
	return names > 1
}

// opposed reports whether two of the words are opposites that could change places.
func (q *reading) opposed() bool {
	n := 0
	for _, w := range q.words {
		if opposites[w.plain] {
			n++
		}
	}
	return n > 1
}

// acts reports whether a verb stands between two words of a phrase, or one that
// turns one thing into another anywhere.
func (q *reading) acts() bool {
	for _, p := range q.phrases {
		for i, w := range p.words {
			if w.code != "" || w.parts != "" {
				continue
			}
			stem := words.Stem(w.plain)
			inside := i > 0 && i < len(p.words)-1 && !slices.Contains(p.joints, i+1)
			if converterVerbs[stem] || inside && (actorVerbs[stem] || actorForms[stem] && w.plain != w.term || isInflected(w.plain)) {
				return true
			}
		}
	}
	return false
}

// isInflected reports whether a word ends like a verb in the past or the third person.
func isInflected(w string) bool {
	for _, end := range []string{"ed", "ates", "izes", "ises", "ifies"} {
		if len(w) > len(end)+2 && strings.HasSuffix(w, end) {
			return true
		}
	}
	return false
}
