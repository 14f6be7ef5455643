// Package structure finds the parts of an entry's text, for editors that show them: [Outline] its symbols,
// [Folds] its foldable ranges, and [Tokens] the meaning of the format's words.
//
// All three are pure and linear in the text. They use the result of [format.Parse], and no parsing rules of
// their own, so that an editor and the tree agree about headings and relations. Relations are given as
// [tree.Snapshot.Relations] resolves them.
//
// Positions are byte offsets into [format.Entry.Text]; spans are half-open and lie in it.
package structure

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// frontmatter is the frontmatter with both of its fences, without the last line's end.
func frontmatter(e *format.Entry) (at markdown.Span, ok bool) {
	if e.Frontmatter.Start == 0 { // without a first fence there is no frontmatter
		return markdown.Span{}, false
	}
	head := e.Text[:e.Frontmatter.Start]
	start := strings.LastIndexByte(strings.TrimRight(head, "\r\n"), '-') - len("---") + 1
	return markdown.Span{Start: start, End: trimEnd(e.Text, markdown.Span{Start: start, End: e.Body.Start})}, true
}

// trimEnd is where a span ends without the white space at its end.
func trimEnd(text string, at markdown.Span) int {
	return at.Start + len(strings.TrimRight(at.Of(text), " \t\r\n"))
}

// inside cuts a span to what lies in another.
func inside(at, outer markdown.Span) markdown.Span {
	at.Start = min(max(at.Start, outer.Start), outer.End)
	at.End = min(max(at.End, at.Start), outer.End)
	return at
}
