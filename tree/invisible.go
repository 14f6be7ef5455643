package tree

import (
	"fmt"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
)

// maxInvisible is how many lines with invisible text, and how many unsafe links, are
// reported per entry: enough to see what it is, without flooding a file that is full of it.
const maxInvisible = 20

// checkInvisible reports text that people do not see and models read, or that shows in
// another order than it is written ([sanitize.Hidden]). The first of each line counts.
func (e *Entry) checkInvisible() {
	reported, line := 0, 0 // line: where the next one begins
	for c := range sanitize.Hidden(e.Text) {
		if c.Start < line {
			continue
		}
		e.report(CodeInvisible, SeverityWarning, fmt.Sprintf("invisible text: %s U+%04X", c.What, c.Rune), Span{c.Start, c.End})
		if reported++; reported == maxInvisible {
			return
		}
		_, line = cutLine(e.Text, c.Start)
	}
}

// Invisible lists all that [CodeInvisible] is about, also what is not reported because
// its line has been.
func (e *Entry) Invisible() (out []Span) {
	for c := range sanitize.Hidden(e.Text) {
		out = append(out, Span{c.Start, c.End})
	}
	return out
}

// checkUnsafe reports what a Markdown renderer may run or fetch ([sanitize.Unsafe]).
func (e *Entry) checkUnsafe() {
	for i, p := range sanitize.Unsafe(e.Text) {
		if i == maxInvisible {
			return
		}
		e.report(CodeUnsafe, SeverityWarning, p.What+": it is shown as text; remove it, or put it in backticks", Span{p.Start, p.End})
	}
}
