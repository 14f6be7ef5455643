package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isASCIIWord tells the ASCII bytes that words are made of.
var isASCIIWord = func() (t [utf8.RuneSelf]bool) {
	for c := range t {
		t[c] = c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	return t
}()

// IsWordRune reports whether a character can be part of a word: letters, digits, marks and the underscore.
func IsWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 0 && isASCIIWord[r]
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// unspaced lists the scripts written without spaces between words.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// firstUnspaced is the lowest code point of those scripts (Thai).
const firstUnspaced = 0x0E00

func isUnspaced(r rune) bool {
	if r < firstUnspaced {
		return false
	}
	return r == 'ー' || (unicode.IsLetter(r) || unicode.IsMark(r)) && unicode.In(r, unspaced...)
}

// HasUnspaced reports whether a text has letters of a script that is written without spaces between words.
func HasUnspaced(text string) bool { return strings.ContainsFunc(text, isUnspaced) }

// isSymbol reports whether a sign is a word by itself: an emoji, and no part of a drawing.
func isSymbol(r rune) bool {
	drawn := r >= 0x2500 && r < 0x2600 || r >= 0x2800 && r < 0x2900 // boxes, blocks and shapes; braille
	return !drawn && r != utf8.RuneError && unicode.Is(unicode.So, r)
}

// joinLen is the length of the joining sign that s starts with, 0 if none.
func joinLen(s string) int {
	switch s[0] {
	case '.', '-', '/', '\\', '\'':
		return 1
	case ':':
		if len(s) > 1 && s[1] == ':' {
			return 2
		}
		return 1
	}
	return 0
}

func startsWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r != '_' && IsWordRune(r) && !isUnspaced(r)
}
