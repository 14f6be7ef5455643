package tree

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/internal/goldentest"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

func TestLinks(t *testing.T) {
	goldentest.Archives(t, "testdata/links/*.txtar", func(files []txtar.File) string {
		var entries []*format.Entry
		for _, f := range files {
			entries = append(entries, format.Parse(f.Name, string(f.Data)))
		}
		return render(NewSnapshot(entries, nil))
	})
}

// render writes what a snapshot knows beyond its entries.
func render(s *Snapshot) string {
	var b strings.Builder
	for _, e := range s.Entries() {
		fmt.Fprintln(&b, e.Path)
		for _, r := range s.Relations(e.Path) {
			fmt.Fprintf(&b, "  %q -> %s%s\n", r.At.Of(e.Text), r.Target, r.Problem())
		}
		for _, l := range s.Backlinks(e.Path) {
			from, _ := s.Entry(l.From)
			fmt.Fprintf(&b, "  <- %s %q\n", l.From, l.At.Of(from.Text))
		}
	}
	renderNodes(&b, s, "")
	return b.String()
}

func renderNodes(b *strings.Builder, s *Snapshot, dir string) {
	n, ok := s.Node(dir)
	if !ok {
		fmt.Fprintf(b, "no node %q\n", dir)
		return
	}
	fmt.Fprintf(b, "node %q %d %q %q\n", n.Path, n.Kind, n.Folders, n.Entries)
	for _, sub := range n.Folders {
		renderNodes(b, s, sub)
	}
}

// FuzzRelations: a relation leads nowhere but to entries of the tree.
func FuzzRelations(f *testing.F) {
	f.Add("[[c]] @a/b/c.md @../x.md [l](c.md#h)")
	f.Fuzz(func(t *testing.T, text string) {
		e := format.Parse("a/b/c.md", text)
		s := NewSnapshot([]*format.Entry{e}, nil)
		s.Problems(e.Path)
		for _, r := range s.Relations(e.Path) {
			if r.Target != "" && r.Target != e.Path {
				t.Fatalf("%q leads to %q, which is not in the tree", r.Raw, r.Target)
			}
		}
	})
}
