package tree

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxInvisible is how many lines with invisible text are reported per entry:
// enough to see what it is, without flooding a file that is full of it.
const maxInvisible = 20

// checkInvisible reports text that people do not see and models read, or that
// shows in another order than it is written: bidirectional overrides and
// isolates, zero-width characters other than joiners inside words and emoji,
// and tag characters (U+E0000, Unicode 16, section 23.9). The first of each line
// counts.
func (e *Entry) checkInvisible(l *layout) {
	text := e.Text
	reported := 0
	for i := nonASCII(text, 0); i < len(text) && reported < maxInvisible; i = nonASCII(text, i) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if what := invisible(text, i, r, size); what != "" {
			e.report(CodeInvisible, SeverityWarning, fmt.Sprintf("invisible text: %s U+%04X", what, r), Span{i, i + size})
			reported++
			_, i = cutLine(text, i)
			continue
		}
		i += size
	}
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

// invisible names what the character at s[i] is, "" if it can be seen or belongs.
func invisible(s string, i int, r rune, size int) string {
	switch {
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return "bidirectional control"
	case r == 0x200c || r == 0x200d:
		if !joins(s, i, i+size) {
			return "joiner outside a word"
		}
	case r == 0x200b, r >= 0x2060 && r <= 0x2064, r == 0xfeff && i > 0:
		return "zero-width character"
	case r >= 0xe0000 && r <= 0xe007f:
		if !inFlag(s, i) {
			return "tag character"
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
