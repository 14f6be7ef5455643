package structure_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/structure"
)

// longEntry has n lines, half of them with a relation.
func longEntry(n int) (*format.Entry, []tree.Relation) {
	var b strings.Builder
	b.WriteString("---\ntitle: Long\nmaturity: core\n---\n")
	for i := range n / 10 {
		fmt.Fprintf(&b, "## Section %d\n\n", i)
		for j := range 4 {
			fmt.Fprintf(&b, "- an item that names @a/topic_%d/b.md#Part and more\n  which goes on\n", j)
		}
	}
	e := format.Parse("a/topic_0/long.md", b.String())
	s := tree.NewSnapshot([]*format.Entry{e, format.Parse("a/topic_0/b.md", "# B\n")}, nil)
	return e, s.Relations(e.Path)
}

// BenchmarkStructure costs each of the answers for an entry of 5,000 lines.
func BenchmarkStructure(b *testing.B) {
	e, relations := longEntry(5_000)
	for name, do := range map[string]func(){
		"outline": func() { structure.Outline(e) },
		"folds":   func() { structure.Folds(e, -1) },
		"tokens":  func() { structure.Tokens(e, relations) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				do()
			}
		})
	}
}
