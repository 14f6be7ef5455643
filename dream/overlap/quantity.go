package overlap

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

var number = lazyregexp.New(`\d(?:[\d.,:]*\d)?`)

// quantities calls emit for each number that a text states in digits, without the commas of thousands. Digits that are part of a
// name (v2, CRC-16, rotate.go:88) are no numbers.
//
// Numbers in words and units are compared as words: to know that "120 s" and "two minutes" are one found 3 to 5 more of 100 pairs, and
// took lists of words in five languages.
func quantities(text string, emit func(string)) {
	for _, m := range number().FindAllStringIndex(text, -1) {
		if !inName(text, m[0]) {
			emit(strings.ReplaceAll(text[m[0]:m[1]], ",", ""))
		}
	}
}

// inName reports whether the digits at i belong to a name.
func inName(text string, i int) bool {
	name := func(i int) bool { return i >= 0 && (text[i]|0x20 >= 'a' && text[i]|0x20 <= 'z' || text[i] == '_') }
	return name(i-1) || i > 0 && strings.IndexByte("-.:/@#", text[i-1]) >= 0 && name(i-2)
}
