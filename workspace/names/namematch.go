package names

import (
	"strings"
	"unicode/utf8"
)

// How names are compared: letter case, and what joins words, do not count. A term of a
// question fits a name as a whole, as the beginning of a word, inside a word, as the
// beginnings of words ("rtr" for "refresh token rotation"), or letter by letter.

// nameText is a text to compare with.
type nameText struct {
	text string
	has  letters
}

// letters tells for most bytes whether a text holds them, so that nearly every name that
// cannot fit is left out by one comparison.
type letters uint64

func readName(s string) nameText {
	s = joints.Replace(strings.ToLower(s))
	return nameText{s, lettersOf(s)}
}

var joints = strings.NewReplacer("_", " ", "-", " ")

func lettersOf(s string) letters {
	var has letters
	for i := range len(s) {
		has |= 1 << (s[i] % 64) // a–z, 0–9 and most signs have a bit of their own
	}
	return has
}

// maxTerms bounds the words of a question, and maxTerm the bytes of each.
const (
	maxTerms = 8
	maxTerm  = 100
)

// nameTerms are the words of a question.
func nameTerms(query string) []nameText {
	var out []nameText
	for _, word := range strings.Fields(query) {
		if t := readName(word); len(t.text) <= maxTerm && len(out) < maxTerms {
			out = append(out, t)
		}
	}
	return out
}

// What it counts where a term is found. Only their order was chosen with care: the name
// before its path before its keywords, and a good fit of these before a bad one of those.
const (
	inTitle = 1.0
	inPlace = 0.8
	inWords = 0.7

	fitsWhole    = 1.0
	fitsStart    = 0.9 // the name begins with it
	fitsWord     = 0.8 // a word begins with it
	fitsInside   = 0.6
	fitsInitials = 0.5
	fitsLetters  = 0.3 // at most; less the wider the letters are scattered
)

// fit is how well all terms fit a card, from 0, which is not at all, to 1. Without terms
// every card fits, folders before entries.
func (c *card) fit(terms []nameText) float64 {
	if len(terms) == 0 {
		return 1 / (1 + float64(c.kind))
	}
	sum := 0.0
	for i := range terms {
		t := &terms[i]
		best := inTitle * c.title.fit(t, 0)
		best = max(best, inPlace*c.place.fit(t, best/inPlace))
		best = max(best, inWords*c.words.fit(t, best/inWords))
		if best == 0 {
			return 0
		}
		sum += best
	}
	return sum / float64(len(terms))
}

// fit is how well a term fits, where that is more than enough; else it may be less.
func (n *nameText) fit(term *nameText, enough float64) float64 {
	if term.has&^n.has != 0 || len(term.text) > len(n.text) || enough >= fitsWhole {
		return 0
	}
	best := 0.0
	for from := 0; ; {
		i := strings.Index(n.text[from:], term.text)
		if i < 0 {
			break
		}
		i += from
		switch {
		case i == 0 && len(term.text) == len(n.text):
			return fitsWhole
		case i == 0:
			return fitsStart
		case startsWord(n.text, i):
			return fitsWord
		}
		best = fitsInside
		from = i + 1
	}
	switch {
	case best > 0:
		return best
	case enough < fitsInitials && initials(n.text, term.text):
		return fitsInitials
	case enough < fitsLetters:
		return scattered(n.text, term.text)
	}
	return 0
}

// startsWord reports whether what stands before s[i] joins or parts words.
func startsWord(s string, i int) bool {
	return i == 0 || s[i-1] == ' ' || s[i-1] == '/' || strings.IndexByte("\n.:()", s[i-1]) >= 0
}

// initials reports whether term is made of beginnings of words of s, in their order.
func initials(s, term string) bool {
	at := 0
	for _, r := range term {
		for {
			i := strings.IndexRune(s[at:], r)
			if i < 0 {
				return false
			}
			goesOn := i == 0 && at > 0
			at += i
			if goesOn || startsWord(s, at) {
				break
			}
			at += utf8.RuneLen(r)
		}
		at += utf8.RuneLen(r)
	}
	return true
}

// scattered is how close together the letters of term stand in s, 0 if they do not all
// stand there in their order.
func scattered(s, term string) float64 {
	first, at := -1, 0
	for _, r := range term {
		i := strings.IndexRune(s[at:], r)
		if i < 0 {
			return 0
		}
		if at += i; first < 0 {
			first = at
		}
		at += utf8.RuneLen(r)
	}
	return fitsLetters * float64(len(term)) / float64(at-first)
}
