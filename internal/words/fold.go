package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	encoding "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/unicode/norm"
)

// Fold makes words comparable: small letters, without the accents of Latin letters; wide
// and composed forms, quotation marks and dashes as plain ones. It goes by way of capitals, because ς and σ meet only
// there.
func Fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	s = norm.NFKD.String(strings.ToLower(strings.ToUpper(strings.ToValidUTF8(s, ""))))
	s = strings.Map(func(r rune) rune {
		if r >= 0x300 && r <= 0x36F || r >= 0xFE00 && r <= 0xFE0F || r == 0x20E3 { // accents; what makes a sign an emoji
			return -1
		}
		return r
	}, s)
	return norm.NFC.String(plain.Replace(s))
}

// plain writes the signs and Latin letters that no normal form takes apart.
var plain = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "þ", "th", "ł", "l", "ı", "i",
	"“", `"`, "”", `"`, "„", `"`, "‘", "'", "’", "'", "‐", "-", "–", "-", "—", "-", "−", "-")

// NFC is s in one Unicode form, in which nothing else is changed.
func NFC(s string) string { return norm.NFC.String(s) }

// Spellings are the other Unicode forms of s, with letters and their accents composed and decomposed.
func Spellings(s string) (forms []string) {
	for _, form := range []norm.Form{norm.NFC, norm.NFD} {
		if f := form.String(s); f != s {
			forms = append(forms, f)
		}
	}
	return forms
}

// NFKC is s in one Unicode form, without invalid bytes; full-width ASCII is plain there.
func NFKC(s string) string {
	if isASCII(s) {
		return s
	}
	return norm.NFKC.String(strings.ToValidUTF8(s, ""))
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

// UTF8 is a text in UTF-8: UTF-16, which its mark tells, as Windows PowerShell writes it, is decoded, and any other text stays.
func UTF8(text []byte) []byte {
	switch string(text[:min(len(text), 2)]) {
	case "\xff\xfe", "\xfe\xff":
		text, _ = encoding.UTF16(encoding.BigEndian, encoding.ExpectBOM).NewDecoder().Bytes(text[:len(text)&^1])
	}
	return text
}

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
