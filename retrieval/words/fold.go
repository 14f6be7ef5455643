package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/char/asciifolding"
	"github.com/blevesearch/bleve/v2/analysis/token/unicodenorm"
)

// Fold lower-cases s and takes the accents off Latin letters, full-width forms
// included; combining marks vanish, so composed and decomposed text are equal.
func Fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	s = strings.Map(func(r rune) rune {
		if r >= 0x300 && r <= 0x36F { // combining diacritical marks
			return -1
		}
		return unicode.ToLower(narrow(r))
	}, strings.ToValidUTF8(s, ""))
	return strings.ToLower(string(folding.Filter([]byte(s))))
}

var folding = asciifolding.New()

// narrow is the plain form of a full-width form of ASCII.
func narrow(r rune) rune {
	if r >= '！' && r <= '～' {
		return r - ('！' - '!')
	}
	return r
}

// composed gives text one Unicode form, which Fold alone does for Latin letters only.
var composed = unicodenorm.MustNewUnicodeNormalizeFilter(unicodenorm.NFKC)

// NFKC is s in one Unicode form, without invalid bytes; full-width ASCII is plain there.
func NFKC(s string) string {
	if isASCII(s) {
		return s
	}
	return string(composed.Filter(analysis.TokenStream{{Term: []byte(strings.ToValidUTF8(s, ""))}})[0].Term)
}

// FoldAny is Fold for any script: by way of upper case, because ς and σ meet only there.
func FoldAny(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return Fold(strings.ToUpper(NFKC(s)))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// IsLowerASCII reports whether a term is made of the letters a to z alone.
func IsLowerASCII(term string) bool {
	for i := range len(term) {
		if term[i] < 'a' || term[i] > 'z' {
			return false
		}
	}
	return true
}

// IsDigits reports whether a term is a number.
func IsDigits(term string) bool {
	for i := range len(term) {
		if term[i] < '0' || term[i] > '9' {
			return false
		}
	}
	return len(term) > 0
}
