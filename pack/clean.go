package pack

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes text what it looks like: valid UTF-8 without control characters other
// than line ends and tabs, and with characters that nobody sees, or that show others in
// another order, spelled out as \u{202e}. Lines stay where they are.
func clean(s string) string {
	if plain(s) {
		return s
	}
	s = strings.ToValidUTF8(s, "\ufffd")
	var out strings.Builder
	out.Grow(len(s))
	for i, r := range s {
		switch {
		case r == '\n' || r == '\t':
			out.WriteRune(r)
		case unicode.IsControl(r):
		case hidden(s, i, r):
			fmt.Fprintf(&out, `\u{%x}`, r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// plain reports whether a text is ASCII without control characters: most source is.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\n' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}

// hidden reports whether the character at s[i] is invisible, or changes how its
// neighbours look (Unicode 16, sections 23.2 and 23.9; UTS 39). Joiners between letters
// and in emoji belong to what is written.
func hidden(s string, i int, r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0x200c || r == 0x200d:
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		return before < 0x80 || after < 0x80 || after == utf8.RuneError || unicode.IsSpace(before)
	case r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, r == 0x2028, r == 0x2029, r == 0xfffe, r == 0xffff:
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

// oneLine replaces white space and control characters by single spaces, and cuts
// at that many characters.
func oneLine(s string, most int) string {
	words := strings.FieldsFunc(strings.ToValidUTF8(s, "\ufffd"), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	s = clean(strings.Join(words, " "))
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:most-1])) + "…"
}

// ranges writes line ranges as in 10-40,80-95.
func ranges(rs [][2]int) string {
	var out []string
	for _, r := range rs {
		out = append(out, fmt.Sprintf("%d-%d", r[0], r[1]))
	}
	return strings.Join(out, ",")
}
