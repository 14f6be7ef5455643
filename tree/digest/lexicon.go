package digest

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lexicon weighs the terms of one folder. Only the folder: a summary is a function
// of what it covers, so that it is stale exactly when that changes.
type lexicon struct {
	ids    map[string]int32
	counts []float64
	shaped []bool // looks like an identifier, or stood in inline code

	weights []float64 // of the counts so far; see weigh
	arena   []int32   // of the slices that add returns
}

// newLexicon has room for the words of some children.
func newLexicon(children int) *lexicon {
	return &lexicon{ids: make(map[string]int32, 64*min(children, 64))}
}

// add counts the terms of a text and returns them, each once.
func (x *lexicon) add(s string) []int32 {
	from := len(x.arena)
	eachTerm(s, func(key string, shaped bool) {
		id, ok := x.ids[key]
		if !ok {
			id = int32(len(x.counts))
			x.ids[key] = id
			x.counts, x.shaped = append(x.counts, 0), append(x.shaped, false)
		}
		x.counts[id]++
		x.shaped[id] = x.shaped[id] || shaped
		if !slices.Contains(x.arena[from:], id) {
			x.arena = append(x.arena, id)
		}
	})
	return x.arena[from:len(x.arena):len(x.arena)]
}

// known returns the terms of a text that were counted.
func (x *lexicon) known(s string) []int32 {
	var out []int32
	eachTerm(s, func(key string, _ bool) {
		if id, ok := x.ids[key]; ok {
			out = append(out, id)
		}
	})
	return out
}

// eachTerm calls f with the words of s that say something, without letter case
// and plural; shaped ones look like identifiers or stand in inline code.
func eachTerm(s string, f func(key string, shaped bool)) {
	code := false
	eachWord(s, func(word string, has wordChars) {
		if has == 0 {
			code = !code
			return
		}
		shaped := code || isShaped(word, has)
		key := word
		if has != hasLower {
			key = strings.ToLower(word)
		}
		if !shaped && (len(key) < 3 || stopWords[key]) {
			return
		}
		if n := len(key); n > 4 && key[n-1] == 's' && key[n-2] != 's' {
			key = key[:n-1]
		}
		f(key, shaped)
	})
}

// weigh settles what each term is worth where it is said for the first time, when
// all are counted: more for what the folder speaks of often, twice for a name.
func (x *lexicon) weigh() {
	x.weights = make([]float64, len(x.counts))
	for id, n := range x.counts {
		x.weights[id] = 1 + math.Log(n)
		if x.shaped[id] {
			x.weights[id] *= 2
		}
	}
}

// wordChars are the kinds of characters in a word.
type wordChars uint8

const (
	hasLower wordChars = 1 << iota
	hasUpper
	hasDigit
	hasLow // underscore
	hasWide
)

// charOf is the kind of each ASCII character, 0 for those that part words.
var charOf = func() (out [utf8.RuneSelf]wordChars) {
	for c := range out {
		switch {
		case c >= 'a' && c <= 'z':
			out[c] = hasLower
		case c >= 'A' && c <= 'Z':
			out[c] = hasUpper
		case c >= '0' && c <= '9':
			out[c] = hasDigit
		case c == '_':
			out[c] = hasLow
		}
	}
	return out
}()

// firstIdeograph is where scripts begin that write no blanks between words.
const firstIdeograph = 0x2e80

// eachWord calls f with each word of s: letters, digits and underscores. Characters
// of scripts without blanks are words of their own. A back-tick is told as an
// empty word without characters.
func eachWord(s string, f func(word string, has wordChars)) {
	start, has := 0, wordChars(0)
	end := func(i int) {
		if has != 0 {
			f(s[start:i], has)
			has = 0
		}
	}
	for i := 0; i < len(s); {
		c, kind, size, alone := s[i], hasWide, 1, false
		if c < utf8.RuneSelf {
			kind = charOf[c]
		} else {
			kind, size, alone = wideAt(s, i)
		}
		switch {
		case alone:
			end(i)
			f(s[i:i+size], kind)
		case kind != 0:
			if has == 0 {
				start = i
			}
			has |= kind
		default:
			end(i)
			if c == '`' {
				f("", 0)
			}
		}
		i += size
	}
	end(len(s))
}

// wideAt is the kind of the character outside ASCII at s[i], its size, and whether
// it is a word alone.
func wideAt(s string, i int) (kind wordChars, size int, alone bool) {
	r, size := utf8.DecodeRuneInString(s[i:])
	if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
		return 0, size, false
	}
	return hasWide, size, r >= firstIdeograph
}

// isShaped reports whether a word has the form of an identifier rather than of a
// word: snake_case, camelCase, letters mixed with digits, or all capitals.
func isShaped(word string, has wordChars) bool {
	letters := has & (hasLower | hasUpper)
	switch {
	case has == hasLower, has&hasWide != 0, letters == 0:
		return false
	case has&(hasDigit|hasLow) != 0:
		return strings.Trim(word, "_") != "" && (has&hasDigit != 0 || strings.Contains(strings.Trim(word, "_"), "_"))
	case letters == hasUpper:
		return len(word) > 2
	}
	uppers := 0
	for i := range len(word) {
		if charOf[word[i]] != hasUpper {
			continue
		}
		uppers++
		if i > 0 && charOf[word[i-1]] == hasLower || uppers > 1 && len(word) > 4 {
			return true
		}
	}
	return false
}

// stopWords are the words of English that say nothing about a subject.
var stopWords = func() map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(`the and for are was were with that this these those from into onto not but its it's has have had
		can could may might must shall should will would does did done than then they them their there here when where which while who
		whose what why how all any each every both few more most other some such only own same too very just also about above after
		again against before below between because been being during until over under off out once our you your use used uses using
		one two via per see new now never always`) {
		out[w] = true
	}
	return out
}()
