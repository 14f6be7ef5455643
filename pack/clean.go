package pack

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
)

// clean makes sure that text looks the way models read it: valid UTF-8 without control characters other than
// line ends and tabs; invisible characters, and those that change the order of others ([sanitize.Hidden]),
// are spelled out as \u{202e}; tags of frames are removed. Lines keep their numbers.
func clean(s string) string {
	if plain(s) {
		return sanitize.Quote(s)
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(strings.TrimPrefix(s, "\ufeff"), "\ufffd"))
	var out strings.Builder
	from := 0
	for c := range sanitize.Hidden(s) {
		fmt.Fprintf(&out, `%s\u{%x}`, s[from:c.Start], c.Rune)
		from = c.End
	}
	return sanitize.Quote(out.String() + s[from:])
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

// oneLine replaces white space and control characters by single spaces, and cuts
// at that many characters.
func oneLine(s string, most int) string {
	words := strings.FieldsFunc(strings.ToValidUTF8(s, "\ufffd"), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	return sanitize.Short(clean(strings.Join(words, " ")), most)
}

// ranges writes line ranges as in 10-40,80-95.
func ranges(rs [][2]int) string {
	var out []string
	for _, r := range rs {
		out = append(out, fmt.Sprintf("%d-%d", r[0], r[1]))
	}
	return strings.Join(out, ",")
}
