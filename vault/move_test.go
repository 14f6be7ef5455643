package vault_test

import (
	"testing"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/relink"
	"github.com/brv-lsp/brv-lsp/tree/treetest"
)

// TestWikiLinksFollow moves and renames the target of wiki links, which lead there afterwards.
func TestWikiLinksFollow(t *testing.T) {
	for _, said := range []string{
		"[[tok]]", "[[tok|name]]", "[[tok#Limits]]", "![[tok]]", "[[tok.md]]", "[[a/b/tok]]", "[[b/tok]]", "[[b/tok#Limits|alias]]", "[[a/b/tok.md#Limits]]",
		"[[./tok]]", "[[../b/tok]]", "| [[b/tok\\|x]] |", "---\nrelated: \"[[b/tok]]\"\n---\nx", "[[B/Tok]]", "[[ tok ]]",
	} {
		for _, to := range []string{"a/c/tok.md", "a/b/other.md", "web/build/d/some name.md", "a/b/tok_2.md"} {
			e := format.Parse("a/b/x.md", said+"\n")
			s := treeWith(e)
			if got := targets(s, e.Path); len(got) != 1 || got[0] != "a/b/tok.md" {
				t.Errorf("%s leads to %v", said, got)
				break
			}
			m, err := relink.PlanMove(s, "a/b/tok.md", to, func(string) bool { return true })
			if err != nil {
				t.Fatal(err)
			}
			text, err := treetest.ApplyEdits(e.Text, m.Edits[e.Path])
			if err != nil {
				t.Fatal(err)
			}
			moved, _ := s.Entry("a/b/tok.md")
			after := s.Update(map[string]*format.Entry{"a/b/tok.md": nil, to: format.Parse(to, moved.Text), e.Path: format.Parse(e.Path, text)})
			if got := targets(after, e.Path); len(got) != 1 || got[0] != to {
				t.Errorf("%s after a move to %s: %q leads to %v", said, to, text, got)
			}
			for _, p := range after.Problems(e.Path) {
				if p.Code != format.CodeOrphan {
					t.Errorf("%s after a move to %s: %q: %s", said, to, text, p.Message)
				}
			}
		}
	}
	for _, said := range []string{"[x](tok.md#L3)", "[x](tok.md#L3-L9)", "[x](tok.md#L3C1-L9C20)", "[[tok#L3]]", "@a/b/tok.md#L3-9", "[x](#L3)"} {
		e := format.Parse("a/b/x.md", said+"\n")
		for _, p := range tree.NewSnapshot(treeWith(e).Entries(), nil).Problems(e.Path) {
			if p.Code == format.CodeHeading {
				t.Errorf("%s: %s", said, p.Message)
			}
		}
	}
}
