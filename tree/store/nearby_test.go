package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// ReadOne reads what a store reads, and nothing else.
func TestOneFileIsReadAsAStoreReadsIt(t *testing.T) {
	d := newDisk(t)
	d.write("a/b.md", "# B\n")
	d.write("a/binary.md", "\x00")
	d.write("a/latin.md", "\xe9")
	d.write("a/huge.md", strings.Repeat("x", format.MaxFileSize+1))
	d.write("a/.hidden.md", "x")
	d.write("a/text.txt", "x")
	at := func(p string) string { return filepath.Join(d.dir, tree.Dir, filepath.FromSlash(p)) }
	for link, to := range map[string]string{"a/link.md": "b.md", "linked": "a", "a/out.md": "/etc/passwd"} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Skip(err)
		}
	}
	root, err := jail.Open(d.dir)
	d.must(err)
	defer root.Close()
	s := d.open(Options{})
	for _, p := range []string{
		"a/b.md", "a/binary.md", "a/latin.md", "a/huge.md", "a/.hidden.md", "a/text.txt", "a/link.md", "linked/b.md", "a/out.md",
		"a/none.md", "a", "a/b.md/c.md",
		"../a/b.md", "/etc/passwd", "", ".", "a/../a/b.md", "a//b.md",
	} {
		want, ok := s.Snapshot().Entry(p)
		got, found := ReadOne(root, tree.Dir, p)
		if found != ok || ok && got.Hash != want.Hash {
			t.Errorf("%q: %v, a store has %v", p, found, ok)
		}
	}
}

func TestNearbyIsWhatRelationsName(t *testing.T) {
	e := format.Parse("a/b/c.md", "---\nrelated: [x/y/z.md]\n---\n@p/q, [m](d.md), [[w]], @../out.md, @/etc/passwd, @.git/config.md\n")
	got := Nearby(e, 99)
	want := []string{
		"x/y/z.md", "x/y/context.md", "x/context.md", "p/q.md", "p/q/context.md", "p/context.md", "a/b/d.md", "a/b/context.md",
		"a/context.md", "d.md", "w.md", "w/context.md",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if got := Nearby(e, 3); !slices.Equal(got, want[:3]) {
		t.Errorf("three: %q", got)
	}
}
