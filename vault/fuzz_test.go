package vault_test

import (
	"io/fs"
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/vault"
)

// FuzzImport imports two notes, of which one may be anything under any name: what becomes an entry comes out byte for
// byte, what does not is said, and importing what came out makes the same entries.
func FuzzImport(f *testing.F) {
	for _, text := range []string{
		"---\naliases: [a, 'b']\n---\n[[other]] ![[x.png]]\n", "---\r\ntitle: x\r\n---\r\n@a/b/c\r\n", "\ufeff---\n---\n[l](other.md#h)",
		"---\nnever closed\n", "---\nimported_from: 'x'\nimported_links: ['other -> a/b/c.md']\n---\n[[other]]\n", "", "<<<<<<< a\n=======\n>>>>>>> b\n",
		"---\nkey: |\n  a\n  ---\n---\ntext\n", "[[other|x]] [[other#h]] [[[other]]] [[../../etc/passwd]]\n", "---\n- a\n---\n", "--- \na: b\n---\n",
	} {
		f.Add("Folder/A note.md", text, 1)
	}
	f.Add("a/b/c/d/e/it's [[x]]: -> y.md", "[[x]]", 0)
	f.Fuzz(func(t *testing.T, name, text string, dialect int) {
		if len(text) > 4096 || len(name) > 200 || !utf8.ValidString(text) {
			return // what is read is UTF-8
		}
		folder := vault.Folder{Root: "notes", Files: []vault.File{{Path: name, Text: text}, {Path: "other.md", Text: "[[A note]]\n"}}}
		o := vault.Options{Dialect: vault.Dialects[uint(dialect)%uint(len(vault.Dialects))]}
		if !fs.ValidPath(name) || format.Hidden(name) || path.Clean(name) == "other.md" || strings.Contains(name, "\\") || name == "." {
			return // no walk finds it
		}
		p, s := imported(t, folder, o)
		if len(p.Ops)+len(p.Left) != len(folder.Files) {
			t.Fatalf("%d operations, left: %v", len(p.Ops), p.Left)
		}
		out := notesOf(s)
		came := map[string]string{}
		for _, file := range out {
			came[file.Path] = file.Text
		}
		for _, op := range p.Ops {
			e, _ := s.Entry(op.Path)
			from, _ := format.ImportedBy(e)
			want := "[[A note]]\n"
			if from.From == name {
				want = text
			}
			if got, ok := came[from.From]; !ok || got != want {
				t.Fatalf("%q came out as %q, want %q", from.From, got, want)
			}
		}
		o.Dialect = p.Dialect
		again, err := vault.Import(folder, s, o)
		if err != nil || len(again.Ops) > 0 {
			t.Fatalf("again: %v, %v", again.Ops, err)
		}
	})
}
