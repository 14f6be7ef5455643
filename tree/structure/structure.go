// Package structure finds the parts of an entry's text, for editors that show them:
// [Outline] its symbols, [Folds] what can be folded, and [Tokens] what the words of the
// format mean.
//
// All three are pure and linear in the text. They read
// what [format.Parse] found, never the text anew by rules of their own, so that an editor
// shows as a heading or a relation what the tree takes for one. Relations are given as
// [tree.Snapshot.Relations] resolves them; what they mean is not decided here.
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
