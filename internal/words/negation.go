package words

import (
	"strings"
	"unicode"
)

// negates reports whether an English word in small letters says not.
func negates(word string) bool {
	switch word {
	case "not", "no", "never", "cannot", "without", "neither":
		return true
	}
	return strings.HasSuffix(word, "n't")
}

// lowered are the words of a text in small letters, with straight apostrophes.
func lowered(text string) []string {
	return strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(text, "\u2019", "'")),
		func(r rune) bool { return r != '\'' && !unicode.IsLetter(r) })
}

// Negated reports whether a text says not, which two of them do not.
func Negated(text string) (not bool) {
	for _, w := range lowered(text) {
		not = not != negates(w)
	}
	return not
}
