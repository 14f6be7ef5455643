package words

import (
	"strings"
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
