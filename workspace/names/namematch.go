package names

import (
	"strings"
	"unicode/utf8"
)

// Names are compared without regard to letter case and to the characters between words. A term of a question can
// match a whole name, the beginning of a word, text inside a word, the beginnings of words ("rtr" for "refresh
// token rotation"), or single letters in order.

// nameText is a text for comparison.
type nameText struct {
	text string
	has  letters
}

// letters records for most bytes whether a text contains them, so that one comparison rules out nearly all names
// that cannot match.
type letters uint64

func readName(s string) nameText {
	s = joints.Replace(strings.ToLower(s))
	return nameText{s, lettersOf(s)}
}

var joints = strings.NewReplacer("_", " ", "-", " ")

func lettersOf(s string) letters {
	var has letters
	for i := range len(s) {
		has |= 1 << (s[i] % 64) // a–z, 0–9 and most punctuation have a bit of their own
	}
	return has
}

// maxTerms bounds the words of a question, and maxTerm the bytes of a word.
const (
	maxTerms = 8
	maxTerm  = 100
)

// nameTerms returns the words of a question.
func nameTerms(query string) []nameText {
	var out []nameText
	for _, word := range strings.Fields(query) {
		if t := readName(word); len(t.text) <= maxTerm && len(out) < maxTerms {
			out = append(out, t)
		}
	}
	return out
}

// The scores by the place of a match. Only their order was chosen with care: the name before its path, the path
// before keywords, and a good match in a later place before a bad one in an earlier place.
const (
	inTitle = 1.0
	inPlace = 0.8
	inWords = 0.7

	fitsWhole    = 1.0
	fitsStart    = 0.9 // the name begins with the term
	fitsWord     = 0.8 // a word begins with the term
	fitsInside   = 0.6
	fitsInitials = 0.5
	fitsLetters  = 0.3 // at most; less if the letters are further apart
)

// fit returns how well all terms match a card, from 0 (not at all) to 1. Without terms, every card matches,
// folders before entries.
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

// fit returns how well a term matches, if that is more than enough. Otherwise the result may be too small.
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

// startsWord reports whether the character before s[i] separates words.
func startsWord(s string, i int) bool {
	return i == 0 || s[i-1] == ' ' || s[i-1] == '/' || strings.IndexByte("\n.:()", s[i-1]) >= 0
}

// initials reports whether term consists of beginnings of words in s, in their order.
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

// scattered returns how close together the letters of term are in s, 0 if s does not contain them in order.
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
