package vault_test

import (
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/vault"
)

// TestStatedPathsThatCannotBeAreNotTaken: such an entry is written where the tree has it, and no other is harmed.
func TestStatedPathsThatCannotBeAreNotTaken(t *testing.T) {
	long := strings.Repeat("n", 253) + ".md"
	for stated, want := range map[string]string{
		"m/x.md": "m/x.md", "m/" + long: "a/b/e.md", long + "/x.md": "a/b/e.md", "a/b/other.md/x.md": "a/b/e.md", "A/B.md": "A/B.md",
		"a/b/OTHER.md": "a/b/e.md", "refused.md": "a/b/e.md",
	} {
		e := format.Parse("a/b/e.md", "---\nimported_from: "+stated+"\nimported_root: x\nimported_hash: 'x'\n---\ntext\n")
		other := format.Parse("a/b/other.md", "# Other\n")
		refused := func(p, entry string) bool { return p == "refused.md" || p == "x/refused.md" }
		var got []string
		for _, f := range vault.Export(tree.NewSnapshot([]*format.Entry{e, other}, nil), "", vault.Markdown, refused) {
			if f.Path != other.Path {
				got = append(got, f.Path)
			}
		}
		// The second place of an entry is below the name of its folder of notes.
		if len(got) != 1 || got[0] != want && got[0] != "x/"+want && got[0] != "x/"+stated {
			t.Errorf("%.20s: %.60q, want %s", stated, got, want)
		}
	}
}
