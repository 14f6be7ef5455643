package markdown

import (
	"html"
	"net/url"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

// MaxLink bounds, in bytes, how far a link is searched for its end, so that
// a line of opening brackets stays linear. Paths are at most 255 bytes a segment.
const MaxLink = 1024

// maxNested bounds the depth of brackets in the text of a link. With [MaxLink] it keeps the cost of a line of
// brackets in proportion to its length.
const maxNested = 8

// blanks may stand around a target, which may also be on the line below.
const blanks = " \t\r\n"

// Destination finds where a link leads, from behind its "](": with the angle brackets that it may stand in, without its
// title (CommonMark 0.31, section 6.3).
func Destination(s string, from int) (at Span, ok bool) {
	start := from + len(s[from:]) - len(strings.TrimLeft(s[from:], blanks))
	end := start + bracketed(s[start:])
	if end == start && !strings.HasPrefix(s[start:], "<") {
		end += plainTarget(s[start:min(len(s), start+MaxLink)])
	}
	rest := strings.TrimLeft(s[end:], blanks)
	return Span{start, end}, rest != "" && strings.IndexByte(")\"'(", rest[0]) >= 0
}

// plainTarget is the length of the target without angle brackets that s begins with: up to a blank, or to a parenthesis that
// closes more than it opened.
func plainTarget(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ', '\t', '\r', '\n':
			return i
		case '\\':
			if i+1 < len(s) && (s[i+1] == '(' || s[i+1] == ')') {
				i++
			}
		case '(':
			if depth++; depth > maxNested {
				return i
			}
		case ')':
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return len(s)
}

// ClosingBracket finds the bracket that closes the one at s[i]; −1 where none does, or where a link stands between.
func ClosingBracket(s string, i int) int {
	var picture [maxNested]bool
	depth := 0
	for at := i; at < min(len(s), i+MaxLink); at++ {
		switch s[at] {
		case '\\':
			at++
		case '[':
			if depth == maxNested {
				return -1
			}
			picture[depth] = at > 0 && s[at-1] == '!'
			depth++
		case ']':
			if depth--; depth == 0 {
				return at
			}
			if strings.HasPrefix(s[at:], "](") && !picture[depth] {
				return -1
			}
		}
	}
	return -1
}

// bracketed is the length of the link target between angle brackets, which spaces may
// be part of, that s begins with; 0 for none.
func bracketed(s string) int {
	if !strings.HasPrefix(s, "<") {
		return 0
	}
	n := 1 + strings.IndexAny(s[1:min(len(s), MaxLink)], "<>\n")
	if n == 0 || s[n] != '>' {
		return 0
	}
	return n + 1
}

// Definition reads the definition of a reference, [Label]: target "title", which stands on a line of its own. The target is
// found as [Destination] finds it.
func Definition(s string) (label string, at Span, ok bool) {
	i := len(s) - len(strings.TrimLeft(s, " "))
	if i > 3 || !strings.HasPrefix(s[i:], "[") || strings.HasPrefix(s[i:], "[^") {
		return "", at, false
	}
	n := strings.IndexAny(s[i+1:], "[]")
	if n < 1 || !strings.HasPrefix(s[i+1+n:], "]:") {
		return "", at, false
	}
	start := i + n + 3
	start += len(s[start:]) - len(strings.TrimLeft(s[start:], blanks))
	end := start + bracketed(s[start:])
	if end == start {
		end += len(s[start:]) - len(strings.TrimLeftFunc(s[start:], func(r rune) bool { return !unicode.IsSpace(r) }))
	}
	title := strings.TrimSpace(s[end:])
	return s[i+1 : i+1+n], Span{start, end}, end > start && (title == "" || strings.IndexByte("\"'(", title[0]) >= 0)
}

// escaped matches a sign with a backslash in front, which takes its meaning away (CommonMark 0.31, section
// 2.4).
var escaped = lazyregexp.New("\\\\([!-/:-@\\[-`{-~])")

var entity = lazyregexp.New(`&#?\w{1,32};`)

// Unescaped is a link's target without backslashes, entities and percent escapes; these stay where they are none.
func Unescaped(target string) string {
	if !strings.ContainsAny(target, "\\&%") {
		return target
	}
	target = entity().ReplaceAllStringFunc(escaped().ReplaceAllString(target, "$1"), html.UnescapeString)
	if plain, err := url.PathUnescape(target); err == nil {
		return plain
	}
	return target
}
