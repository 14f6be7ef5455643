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
	Start, End int // its bytes
	Rune       rune
	What       string // "bidirectional control", …
}

// Hidden yields the characters of a text that people do not see, or that change the order in
// which the text shows: bidirectional overrides and isolates, zero-width characters other
// than joiners inside words and emoji, tag characters (Unicode 16, section 23.9) outside the
// emoji that have them, and variation selectors that vary nothing. A byte order mark at the
// beginning is none.
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
// but line feed and tab; bytes that are no UTF-8 become U+FFFD. A text that is all visible
// is itself.
func Visible(text string) string {
	if plain(text) {
		return text
	}
	text = strings.ToValidUTF8(text, "\ufffd")
	for { // again: a joiner may stand at the end of a word now
		next := visible(text)
		if next == text {
			return text
		}
		text = next
	}
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

func visible(text string) string {
	var b strings.Builder
	from := 0
	for i, r := range text {
		size := utf8.RuneLen(r)
		if r == 0xfeff || unicode.IsControl(r) && r != '\n' && r != '\t' || r >= utf8.RuneSelf && hidden(text, i, r, size) != "" {
			b.WriteString(text[from:i])
			from = i + size
		}
	}
	if from == 0 {
		return text
	}
	b.WriteString(text[from:])
	return b.String()
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

// hidden names what the character at s[i] is, "" if it can be seen or belongs.
func hidden(s string, i int, r rune, size int) string {
	switch {
	case r < 0x180e:
		return ""
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return "bidirectional control"
	case r == 0x200c || r == 0x200d:
		if !joins(s, i, i+size) {
			return "joiner outside a word"
		}
	case r == 0x200b, r >= 0x2060 && r <= 0x2065, r == 0xfeff && i > 0, r == 0x180e:
		return "zero-width character"
	case r >= 0x206a && r <= 0x206f, r >= 0xfff9 && r <= 0xfffb:
		return "format character"
	case r >= 0xe0000 && r <= 0xe007f:
		if !inFlag(s, i) {
			return "tag character"
		}
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef:
		if !varies(s, i, r) {
			return "variation selector"
		}
	}
	return ""
}

// joins reports whether something visible stands on both sides of a joiner.
func joins(s string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:start])
	after, _ := utf8.DecodeRuneInString(s[end:])
	word := func(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.So, unicode.Sk) }
	return start > 0 && end < len(s) && word(before) && word(after)
}

// varies reports whether a variation selector stands behind what it can vary: any seen
// character but another selector; those of the supplement, which can carry text, behind
// ideographs only (Unicode 16, section 23.4).
func varies(s string, i int, r rune) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	if r >= 0xe0100 {
		return unicode.Is(unicode.Han, before)
	}
	return i > 0 && before > ' ' && !(before >= 0xfe00 && before <= 0xfe0f) && !(before >= 0xe0100 && before <= 0xe01ef)
}

// flags are the tag sequences of the emoji that have one, behind U+1F3F4: the
// flags of England, Scotland and Wales.
var flags = []string{tagged("gbeng"), tagged("gbsct"), tagged("gbwls")}

func tagged(s string) string {
	out := []rune("\U0001F3F4")
	for _, c := range s {
		out = append(out, 0xe0000+c)
	}
	return string(append(out, 0xe007f))
}

// inFlag reports whether the tag character at s[i] belongs to one of the flags.
func inFlag(s string, i int) bool {
	start := strings.LastIndex(s[max(0, i-len(flags[0])):i], "\U0001F3F4")
	if start < 0 {
		return false
	}
	from := max(0, i-len(flags[0])) + start
	for _, f := range flags {
		if strings.HasPrefix(s[from:], f) && i < from+len(f) {
			return true
		}
	}
	return false
}
