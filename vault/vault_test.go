package vault_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/vault"
	"github.com/brv-lsp/brv-lsp/vault/vaulttest"
)

// imported is a tree with a folder in it.
func imported(t *testing.T, f vault.Folder, o vault.Options) (*vault.Plan, *tree.Snapshot) {
	t.Helper()
	before := tree.NewSnapshot(nil, nil)
	p, err := vault.Import(f, before, o)
	if err != nil {
		t.Fatal(err)
	}
	entries := map[string]*format.Entry{}
	for _, op := range p.Ops {
		entries[op.Path] = format.Parse(op.Path, op.Text)
	}
	return p, before.Update(entries)
}

// notesOf restores the files that the entries of a tree were imported from.
func notesOf(s *tree.Snapshot) (out []vault.File) {
	for _, e := range s.Entries() {
		if from, ok := format.ImportedBy(e); ok {
			out = append(out, vault.File{Path: from.From, Text: vault.Original(e)})
		}
	}
	slices.SortFunc(out, func(a, b vault.File) int { return strings.Compare(a.Path, b.Path) })
	return out
}

func TestImportKeepsEveryByte(t *testing.T) {
	for _, d := range []vault.Dialect{vault.Markdown, vault.Obsidian, vault.Zk, vault.ByteRover, vault.Decisions} {
		t.Run(string(d), func(t *testing.T) {
			f := vaulttest.Notes(7, d, 1000, 40)
			p, first := imported(t, f, vault.Options{})
			if p.Dialect != d {
				t.Errorf("taken for %s", p.Dialect)
			}
			if len(p.Ops) != len(f.Files) || len(p.Left) > 0 {
				t.Fatalf("%d of %d notes; left out: %v", len(p.Ops), len(f.Files), p.Left)
			}
			out := notesOf(first)
			for i, file := range f.Files {
				if i >= len(out) || out[i] != file {
					t.Fatalf("%s came out as %.300q\nwant %.300q", file.Path, out[min(i, len(out)-1)], file.Text)
				}
			}
			if len(out) != len(f.Files) {
				t.Fatalf("%d files came out of %d", len(out), len(f.Files))
			}
			_, second := imported(t, vault.Folder{Root: f.Root, Files: out, Others: f.Others}, vault.Options{})
			for _, e := range first.Entries() {
				if again, ok := second.Entry(e.Path); !ok || again.Text != e.Text {
					t.Fatalf("%s is another when imported again", e.Path)
				}
			}
			if len(p.Broken) != 40 {
				t.Errorf("%d broken links, want the 40 that there are: %v", len(p.Broken), p.Broken[:min(5, len(p.Broken))])
			}
			led := 0
			for _, e := range first.Entries() {
				for _, r := range first.Relations(e.Path) {
					if r.Target != "" {
						led++
					}
				}
			}
			if led != p.Links {
				t.Errorf("%d links lead somewhere in the tree, %d did in the folder", led, p.Links)
			}
		})
	}
}

func TestTopicsInHTMLKeepEveryByte(t *testing.T) {
	f := vaulttest.Topics(3, 1000)
	p, first := imported(t, f, vault.Options{})
	if p.Dialect != vault.ByteRover || len(p.Ops) != 1000 || len(p.Left) > 0 {
		t.Fatalf("%s, %d of 1000, left out: %v", p.Dialect, len(p.Ops), p.Left)
	}
	out := notesOf(first)
	if !slices.Equal(out, f.Files) {
		t.Errorf("%d files came out, or others", len(out))
	}
	_, second := imported(t, vault.Folder{Root: f.Root, Files: out}, vault.Options{})
	for _, e := range first.Entries() {
		if again, ok := second.Entry(e.Path); !ok || again.Text != e.Text {
			t.Fatalf("%s is another when imported again", e.Path)
		}
	}
}

func TestLinksLeadWhereTheyLed(t *testing.T) {
	f := vault.Folder{Root: "v", Others: []string{".obsidian", "pic.png"}, Files: []vault.File{
		{Path: "A/X & Y.md", Text: "---\naliases: [The Two, other]\n---\n"},
		{Path: "A/home.md", Text: "[[X & Y]] [[The Two|text]] [[same]] [[b/same]] ![[pic.png]] ![[gone.png]] [[Missing#h]] [n](same.md)\n"},
		{Path: "A/same.md", Text: "a\n"},
		{Path: "B/Same.md", Text: "[[same]] [up](../A/X%20&%20Y.md) [out](../../etc/passwd.md)\n"},
	}}
	p, s := imported(t, f, vault.Options{})
	lead := map[string]string{}
	for _, e := range s.Entries() {
		for _, r := range s.Relations(e.Path) {
			lead[e.Path+" "+r.Raw] = r.Target
		}
	}
	want := map[string]string{
		"v/a/home.md X & Y": "v/a/x_y.md", "v/a/home.md The Two": "v/a/x_y.md", "v/a/home.md same": "v/a/same.md",
		"v/a/home.md b/same": "v/b/same.md", "v/a/home.md same.md": "v/a/same.md",
		"v/b/same.md same": "v/b/same.md", "v/b/same.md ../A/X%20&%20Y.md": "v/a/x_y.md",
	}
	for k, v := range want {
		if lead[k] != v {
			t.Errorf("%s leads to %q, want %q", k, lead[k], v)
		}
	}
	var broken []string
	for _, b := range p.Broken {
		broken = append(broken, b.Text)
	}
	if slices.Sort(broken); !slices.Equal(broken, []string{"../../etc/passwd.md", "Missing"}) {
		t.Errorf("broken: %q", broken)
	}
	moved, err := vault.Import(f, tree.NewSnapshot(nil, nil), vault.Options{Map: map[string]string{"A": "infra/redis/notes", ".": "own"}})
	if err != nil {
		t.Fatal(err)
	}
	var at []string
	for _, op := range moved.Ops {
		at = append(at, op.Path)
	}
	if slices.Sort(at); strings.Join(at, " ") != "infra/redis/notes/home.md infra/redis/notes/same.md infra/redis/notes/x_y.md own/b/same.md" {
		t.Errorf("mapped to %s", at)
	}
}

func BenchmarkImport(b *testing.B) {
	f := vaulttest.Notes(1, vault.Obsidian, 1000, 40)
	for b.Loop() {
		if _, err := vault.Import(f, tree.NewSnapshot(nil, nil), vault.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
