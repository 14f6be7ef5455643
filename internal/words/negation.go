package words

import (
	"strings"
	"unicode"
)

// negates reports whether an English word in lower case is a negation.
func negates(word string) bool {
	switch word {
	case "not", "no", "never", "cannot", "without", "neither":
		return true
	}
	return strings.HasSuffix(word, "n't")
}

// lowered are the words of a text in lower case, with straight apostrophes.
func lowered(text string) []string {
	return strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(text, "\u2019", "'")),
		func(r rune) bool { return r != '\'' && !unicode.IsLetter(r) })
}

// Negated reports whether a text is negated; two negations cancel each other.
func Negated(text string) (not bool) {
	for _, w := range lowered(text) {
		not = not != negates(w)
	}
	return not
}
