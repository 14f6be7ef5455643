package relink

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// index is a tree with n notes and an imported one that links to each by its name.
func index(t *testing.T, n int) *tree.Snapshot {
	var body strings.Builder
	var entries []*format.Entry
	links := map[string]string{}
	for i := range n {
		fmt.Fprintf(&body, "- [[Note %d]] is about this.\n", i)
		p := fmt.Sprintf("notes/all/n%d.md", i)
		links[fmt.Sprintf("Note %d", i)] = p
		entries = append(entries, format.Parse(p, "# Note\n"))
	}
	im := format.Imported{From: "Index.md", Root: "../vault", Hash: format.SourceHash(body.String()), Links: links}
	text, err := im.Into("index/all/index.md", body.String())
	if err != nil {
		t.Fatal(err)
	}
	return tree.NewSnapshot(append(entries, format.Parse("index/all/index.md", text)), nil)
}

// The text of an imported note stays as it was when what it links to moves, or is replaced by another entry.
func TestImportedTextStays(t *testing.T) {
	s := index(t, 3)
	m, err := PlanMove(s, "notes/all", "notes/other", stays)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		edits map[string][]markdown.Edit
		want  string
	}{
		{m.Edits, "'Note 1 -> notes/other/n1.md'"},
		{Redirect(s, "notes/all/n1.md", "notes/all/n2.md"), "'Note 1 -> notes/all/n2.md'"},
	} {
		e, _ := s.Entry("index/all/index.md")
		text := markdown.ApplyEdits(e.Text, c.edits[e.Path])
		was, _ := format.OriginalOf(e)
		is, _ := format.OriginalOf(format.Parse(e.Path, text))
		if is != was || !strings.Contains(text, c.want) {
			t.Errorf("want %s in\n%s", c.want, text)
		}
	}
}

// A link that says another name of its target than its path goes on to show it.
func TestMovedAliasIsShown(t *testing.T) {
	im := format.Imported{From: "n.md", Root: "../vault", Hash: "0", Links: map[string]string{"TR": "a/b/rotation.md"}}
	text, err := im.Into("a/c/n.md", "[[TR]] [[TR#Why]] [[TR|it]] [[rotation]]\n\n| [[TR]] |\n|---|\n")
	if err != nil {
		t.Fatal(err)
	}
	s := tree.NewSnapshot([]*format.Entry{format.Parse("a/c/n.md", text), format.Parse("a/b/rotation.md", "# Why\n")}, nil)
	m, err := PlanMove(s, "a/b/rotation.md", "a/d/turn.md", stays)
	if err != nil || len(m.Left) > 0 {
		t.Fatal(m.Left, err)
	}
	const want = "[[a/d/turn|TR]] [[a/d/turn#Why|TR]] [[a/d/turn|it]] [[turn]]\n\n| [[a/d/turn\\|TR]] |\n|---|\n"
	if now := markdown.ApplyEdits(text, m.Edits["a/c/n.md"]); !strings.HasSuffix(now, want) {
		t.Errorf("want %s in\n%s", want, now)
	}
}

// A move of all that an index links to takes time that grows with their number, not with its square.
func TestIndexMoves(t *testing.T) {
	allocs := func(n int) float64 {
		s := index(t, n)
		return testing.AllocsPerRun(1, func() {
			if m, err := PlanMove(s, "notes/all", "notes/other", stays); err != nil || len(m.Edits) != 1 {
				t.Error(len(m.Edits), err)
			}
		})
	}
	if few, many := allocs(100), allocs(800); many > 16*few {
		t.Errorf("%.0f allocations for 100 links, %.0f for 800", few, many)
	}
}
