package markdown

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

var htmlHeading = lazyregexp.New(`(?i)^ {0,3}<h([1-6])(?:\s[^<>]*)?>(.*)</h[1-6]>\s*$`)

// Headline is a heading as it is written.
type Headline struct {
	Level int
	Text  Span // its title
	At    Span // its lines: also the one that underlines it
}

// Headings lists, from an offset on, the headings with number signs, those that a line of = or - underlines, and HTML ones
// of one line.
func Headings(text string, from int) (out []Headline) {
	var above Line // a line of a paragraph of one line so far
	lines := 0
	for _, l := range Split(text, from) {
		s := l.At.Of(text)
		trimmed := strings.TrimSpace(s)
		if l.Fence != FenceNone || trimmed == "" {
			lines = 0
			continue
		}
		if level, title := Heading(s); level > 0 {
			start := l.At.Start + strings.Index(s, title)
			out = append(out, Headline{level, Span{Start: start, End: start + len(title)}, l.At})
			lines = 0
			continue
		}
		if s[0] == '<' || s[0] == ' ' {
			if m := htmlHeading().FindStringSubmatchIndex(s); m != nil {
				title := Span{Start: l.At.Start + m[4], End: l.At.Start + m[5]}
				out = append(out, Headline{int(s[m[2]] - '0'), title, l.At})
				lines = 0
				continue
			}
		}
		if lines == 1 && len(trimmed) > 1 && strings.Trim(trimmed, trimmed[:1]) == "" && (trimmed[0] == '=' || trimmed[0] == '-') {
			level := 1 + strings.IndexByte("=-", trimmed[0])
			out = append(out, Headline{level, above.At, Span{Start: above.At.Start, End: l.At.End}})
			lines = 0
			continue
		}
		if lines++; !startsParagraph(s) {
			lines = 2 // what follows underlines no heading
		}
		above = l
	}
	return out
}

// startsParagraph reports whether a line is text, and no list, quote, table or indented code.
func startsParagraph(s string) bool {
	return s[0] != ' ' && s[0] != '\t' && strings.IndexByte(">|:", s[0]) < 0 && Item(s) == 0
}

var statedAnchor = lazyregexp.New(`\s*\{\s*:?\s*#([^\s{}]+)[^{}]*\}\s*$`)

// StatedAnchor splits a heading from the anchor that it states: "Title {#anchor}".
func StatedAnchor(title string) (plain, anchor string) {
	if m := statedAnchor().FindStringSubmatchIndex(title); m != nil {
		return title[:m[0]], title[m[2]:m[3]]
	}
	return title, ""
}
