package markdown

import (
	"html"
	"net/url"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

// MaxLink bounds how far the end of a link is searched for, in bytes, so that a line of opening brackets takes
// linear time. Paths have at most 255 bytes in a segment.
const MaxLink = 1024

// maxNested bounds the depth of brackets in the text of a link. With [MaxLink] it keeps the time for a line of
// brackets proportional to its length.
const maxNested = 8

// blanks may surround a target, which may also be on the next line.
const blanks = " \t\r\n"

// Destination finds the target of a link, starting after its "](". The target includes any angle brackets, but not
// the title (CommonMark 0.31, section 6.3).
func Destination(s string, from int) (at Span, ok bool) {
	start := from + len(s[from:]) - len(strings.TrimLeft(s[from:], blanks))
	end := start + bracketed(s[start:])
	if end == start && !strings.HasPrefix(s[start:], "<") {
		end += plainTarget(s[start:min(len(s), start+MaxLink)])
	}
	rest := strings.TrimLeft(s[end:], blanks)
	return Span{start, end}, rest != "" && strings.IndexByte(")\"'(", rest[0]) >= 0
}

// plainTarget returns the length of the target without angle brackets at the beginning of s: up to a blank, or to
// an unmatched closing parenthesis.
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

// ClosingBracket returns the index of the bracket that closes the one at s[i]. It is −1 if there is none, or if
// there is a link between them.
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

// bracketed returns the length of the target in angle brackets at the beginning of s, 0 if there is none. Such a
// target may contain spaces.
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

// Definition parses the definition of a reference, [Label]: target "title", which has a line of its own. The
// target is parsed as by [Destination].
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
	ok = end > start
	if title := strings.TrimSpace(s[end:]); title != "" {
		sign := strings.IndexByte("\"'(", title[0])
		close := "\"')"[max(sign, 0)]
		ok = ok && sign >= 0 && (title[len(title)-1] == close || strings.IndexByte(title[1:], close) < 0) // else something is behind it
	}
	return s[i+1 : i+1+n], Span{start, end}, ok
}

// escaped matches a punctuation character with a backslash, which removes its special meaning (CommonMark 0.31,
// section 2.4).
var escaped = lazyregexp.New("\\\\([!-/:-@\\[-`{-~])")

var entity = lazyregexp.New(`&#?\w{1,32};`)

// Unescaped returns a link's target with backslashes, entities and percent escapes decoded. Invalid ones stay.
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
