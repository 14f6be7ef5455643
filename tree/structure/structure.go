// Package structure says which named parts an entry has, for editors: [Outline].
//
// It reads what [format.Parse] found, never the text by rules of its own, so that an editor
// shows as a heading or a fact what the tree takes for one. Positions are byte offsets into
// [format.Entry.Text]; spans are half-open and lie in it.
package structure

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// frontmatter is the frontmatter with both of its fences, without the last line's end.
func frontmatter(e *format.Entry) (at markdown.Span, ok bool) {
	if e.Frontmatter.Start == 0 { // behind the first fence it never is
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
