package plan

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Rename is a name that an entry gives to code, and the one that it shall give instead.
type Rename struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// renamed returns the item of a revised text that equals a loss but for the new names; "" if there is none.
func renamed(l format.Loss, renames []Rename, revised string) string {
	if l.Kept || len(renames) == 0 {
		return ""
	}
	var now strings.Builder
	last := ' '
	for rest := l.Item; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		if name := longestName(last, rest, renames); name.From != "" {
			now.WriteString(name.To)
			r, _ = utf8.DecodeLastRuneInString(name.From)
			size = len(name.From)
		} else {
			now.WriteString(rest[:size])
		}
		last, rest = r, rest[size:]
	}
	if now.String() == l.Item || !strings.Contains(format.UnixLines(revised), now.String()) {
		return ""
	}
	return now.String()
}

// longestName is the longest name that a text begins with and that is not part of a longer word there. The
// letter before the text is given.
func longestName(last rune, text string, names []Rename) (longest Rename) {
	inName := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	for _, name := range names {
		after, ok := strings.CutPrefix(text, name.From)
		first, _ := utf8.DecodeRuneInString(name.From)
		end, _ := utf8.DecodeLastRuneInString(name.From)
		next, _ := utf8.DecodeRuneInString(after)
		if ok && len(name.From) > len(longest.From) && !(inName(last) && inName(first)) && !(inName(end) && inName(next)) {
			longest = name
		}
	}
	return longest
}
