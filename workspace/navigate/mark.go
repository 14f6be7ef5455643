package navigate

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// mark is a mark in a comment, as a relation from the code.
type mark struct {
	tree.Relation
	Problem string // why it leads nowhere
}

// MarksIn returns the marks of a code file in the given text. If the view has another text, because an open buffer
// was not read in time, it leaves out marks that moved.
func MarksIn(v *workspace.View, p, text string) (marks []mark) {
	c, ok := v.Code().Chunk(p)
	if !ok {
		return nil
	}
	for _, m := range c.Marks() {
		at := markdown.Span(m.At)
		if !spells(text, at, tree.MarkSign+m.Target) {
			continue
		}
		r := tree.Relation{Mention: format.Mention{Form: format.FormAt, Raw: m.Target, At: at},
			Resolution: v.Trees().Resolve("", format.FormAt, m.Target)}
		_, _, problem := v.Trees().Meant(m.Target)
		marks = append(marks, mark{r, problem})
	}
	return marks
}

// MarkAt returns the mark at a position of a code file.
func MarkAt(v *workspace.View, p, text string, offset int) (mark, bool) {
	for _, m := range MarksIn(v, p, text) {
		if m.At.Contains(offset) {
			return m, true
		}
	}
	return mark{}, false
}

// markedBy lists the places in code whose comments name an entry.
func markedBy(v *workspace.View, entry string) (out []Target) {
	last := Target{}
	for _, c := range v.Links().Marked(entry) {
		at := markdown.Span(c.Mark)
		if c.Path == last.Path && at == last.At { // a second link, to the symbol around the first
			continue
		}
		text, ok := v.Text(c.Path)
		if last = (Target{Path: c.Path, At: at, Text: text}); ok && spells(text, at, tree.MarkSign) {
			out = append(out, last)
		}
	}
	return out
}

// spells reports whether a span of a text begins with some words.
func spells(text string, at markdown.Span, words string) bool {
	return at.End <= len(text) && strings.HasPrefix(at.Of(text), words)
}
