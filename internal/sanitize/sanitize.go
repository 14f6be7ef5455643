// Package sanitize makes text that anyone may have written harmless where it is shown to
// people or to models.
//
// [Hidden] and [Visible] are about characters: what people do not see and models read, or
// what shows in another order than it is written. [Unsafe] and [Disarm] are about Markdown:
// links that run something, pictures that are fetched as soon as they are drawn (an address
// can carry away what the text holds), and HTML that does either.
//
// Code is left as it is. Where code begins is the reader's opinion, and renderers differ, so
// only what every reader takes for code counts as code here: fences from the margin outside
// of HTML, and code spans within one line behind nothing that could pair otherwise. All
// other text is looked at, though it may be code to some. Everything takes time linear in
// the text, whoever wrote it.
package sanitize

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Char is a character that people do not see.
type Char struct {
	Start, End int // its range in bytes
	Rune       rune
	What       string // "bidirectional control", …
}

// Hidden yields the characters of a text that people do not see, or that change the order in
// which the text shows (hidden.go has the table): but joiners inside words and emoji, variation
// selectors behind what they vary, and the tags of the flags that are written so. A byte order mark
// at the beginning is none.
func Hidden(text string) iter.Seq[Char] {
	return func(yield func(Char) bool) {
		for i := nonASCII(text, 0); i < len(text); i = nonASCII(text, i) {
			r, size := utf8.DecodeRuneInString(text[i:])
			if what := hidden(text, i, r, size); what != "" && !yield(Char{i, i + size, r, what}) {
				return
			}
			i += size
		}
	}
}

// Control finds the first control character of a text that is no line end or tab.
func Control(text string) (c Char, ok bool) {
	for i, r := range text {
		if unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' {
			return Char{i, i + utf8.RuneLen(r), r, "control character"}, true
		}
	}
	return Char{}, false
}

// Visible is a text without what [Hidden] yields, byte order marks and control characters
// but line feed and tab; a separator of lines or paragraphs becomes a blank, and bytes that are no UTF-8
// U+FFFD. A text that is all visible is itself.
func Visible(text string) string {
	if plain(text) {
		return text
	}
	text = strings.ToValidUTF8(text, "\ufffd")
	var b strings.Builder
	from := 0
	for i, r := range text {
		size := utf8.RuneLen(r)
		if r == 0xfeff || unicode.IsControl(r) && r != '\n' && r != '\t' || r >= utf8.RuneSelf && hidden(text, i, r, size) != "" {
			b.WriteString(text[from:i])
			if from = i + size; r == 0x2028 || r == 0x2029 {
				b.WriteByte(' ')
			}
		}
	}
	if from == 0 {
		return text
	}
	b.WriteString(text[from:])
	return b.String()
}

// Line is the visible part of a text as one line of at most so many characters.
func Line(text string, most int) string {
	return Short(strings.Join(strings.Fields(Visible(text)), " "), most)
}

// Short is a text of at most so many characters. One that is longer is cut and ends in an ellipsis, which counts as one.
func Short(text string, most int) string {
	if most = max(most, 1); len(First(text, most)) == len(text) {
		return text
	}
	return strings.TrimRight(First(text, most-1), " ,;:") + "…"
}

// Cut is the beginning of a text, at most so many bytes of it, that ends between two characters.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	most = max(most, 0)
	for n := 1; n < utf8.UTFMax && most > 0 && !utf8.RuneStart(text[most]); n++ {
		most--
	}
	return text[:most]
}

// First is a text's first n characters.
func First(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// plain reports whether a text is ASCII without control characters.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= 0x7f || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// nonASCII is the first byte from i on that begins a character beyond ASCII.
func nonASCII(s string, i int) int {
	for ; i+8 <= len(s); i += 8 {
		if w := s[i : i+8]; (w[0]|w[1]|w[2]|w[3]|w[4]|w[5]|w[6]|w[7])&0x80 != 0 {
			break
		}
	}
	for i < len(s) && s[i] < utf8.RuneSelf {
		i++
	}
	return i
}
