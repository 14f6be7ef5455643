package format

import (
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/tree/markdown"
)

// maxInvisible is how many lines with invisible text, and how many unsafe links, are
// reported per entry: enough to see what it is, without flooding a file that is full of it.
const maxInvisible = 20

// Invisible lists all that [CodeInvisible] is about, also what is not reported because
// its line has been.
func (e *Entry) Invisible() (out []markdown.Span) {
	for c := range sanitize.Hidden(e.Text) {
		out = append(out, markdown.Span{c.Start, c.End})
	}
	return out
}
