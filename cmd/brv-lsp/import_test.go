package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/brv-lsp/brv-lsp/workspace/transfer"
)

// A person at a terminal sees where notes would go, says another topic, and then yes.
func TestAnImportAsks(t *testing.T) {
	for typed, want := range map[string]string{
		"n\n": "", "": "", "y\n": "notes/infra/a.md", "Infra=platform/infra\ny\n": "platform/infra/a.md",
		"Nope=a/b\nyes\n": "notes/infra/a.md", "=\nInfra=a/b/c/d\nn\n": "",
	} {
		root := t.TempDir()
		tree := filepath.Join(root, ".brv/context-tree")
		for _, dir := range []string{tree, filepath.Join(root, "notes/Infra")} {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(root, "notes/Infra/a.md"), []byte("# A\n\nText.\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		f := newFlags("import")
		if err := f.parse([]string{"--root", root}); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		a, err := importAsking(t.Context(), f, &transfer.ImportRequest{Dir: filepath.Join(root, "notes"), Map: map[string]string{}},
			env{iotest.OneByteReader(strings.NewReader(typed)), &out, &out})
		if err != nil {
			t.Fatal(err)
		}
		found, _ := filepath.Glob(filepath.Join(tree, "*/*/*.md"))
		got := ""
		for _, p := range found {
			if rel, _ := filepath.Rel(tree, p); filepath.Base(rel) == "a.md" {
				got = filepath.ToSlash(rel)
			}
		}
		if got != want || !strings.Contains(out.String(), "Import like this?") {
			t.Errorf("%q: %q is written, want %q\n%s%s", typed, got, want, out.String(), a.text)
		}
	}
}
