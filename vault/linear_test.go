package vault_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/vault"
)

// TestImportIsLinear counts the allocations of an import in which one page lists all notes.
func TestImportIsLinear(t *testing.T) {
	count := func(n int) uint64 {
		f := vault.Folder{Root: "../v", Others: []string{".obsidian"}}
		var list strings.Builder
		for i := range n {
			fmt.Fprintf(&list, "- [[note %d]]\n", i)
			f.Files = append(f.Files, vault.File{Path: fmt.Sprintf("B/note %d.md", i), Text: fmt.Sprintf("[[note %d]] [[all]]\n", i*7%n)})
		}
		f.Files = append([]vault.File{{Path: "A/all.md", Text: list.String()}}, f.Files...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p, _ := imported(t, f, vault.Options{})
		plan.New(tree.NewSnapshot(nil, nil), p.Batch("ann"), plan.Inputs{})
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs
	}
	small, large := count(200), count(800)
	t.Logf("%d and %d allocations", small, large)
	if large > 6*small {
		t.Errorf("4 times as many notes take %d times the allocations, from %d to %d", large/small, small, large)
	}
}

func TestANoteWinsOverTheFolderOfItsName(t *testing.T) {
	f := vault.Folder{Root: "../v", Others: []string{".obsidian"}, Files: []vault.File{
		{Path: "A/B/x.md", Text: "x\n"},
		{Path: "Getting Started/Getting Started.md", Text: "# Getting Started\n## Limits\n"},
		{Path: "Getting Started/Statuses/S.md", Text: "s\n"},
		{Path: "Other.md", Text: "[[Getting Started#Limits]] [[Getting Started]] [[A/B]]\n"},
		{Path: "Z/Z/A/B.md", Text: "b\n"},
	}}
	p, _ := imported(t, f, vault.Options{})
	s := plan.New(tree.NewSnapshot(nil, nil), p.Batch("ann"), plan.Inputs{}).After
	var led []string
	for _, r := range s.Relations("v/notes/other.md") {
		led = append(led, r.Target)
	}
	if got := strings.Join(led, " "); got != "getting_started/notes/getting_started.md getting_started/notes/getting_started.md z/z/a/b.md" {
		t.Errorf("the links lead to %s", got)
	}
}
