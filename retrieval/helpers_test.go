package retrieval

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// archive is a fixture: a tree under "tree/" and other files beside it.
type archive struct {
	file string
	*txtar.Archive
}

func readArchive(t testing.TB, file string) *archive {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return &archive{file, a}
}

// tree is the fixture's tree.
func (a *archive) tree() *tree.Snapshot {
	var entries []*format.Entry
	for _, f := range a.Files {
		if p, ok := strings.CutPrefix(f.Name, "tree/"); ok {
			entries = append(entries, format.Parse(p, string(f.Data)))
		}
	}
	return tree.NewSnapshot(entries, nil)
}

// lines are the lines of a file of the fixture that are not empty.
func (a *archive) lines(name string) []string {
	var out []string
	for _, f := range a.Files {
		if f.Name == name {
			for l := range strings.Lines(string(f.Data)) {
				if l = strings.TrimRight(l, "\n"); l != "" {
					out = append(out, l)
				}
			}
		}
	}
	return out
}

// check compares a file of the fixture with what it should be, or rewrites it.
func (a *archive) check(t *testing.T, name, got string) {
	t.Helper()
	for i, f := range a.Files {
		if f.Name != name {
			continue
		}
		if string(f.Data) == got {
			return
		}
		if !*update {
			t.Errorf("%s: %s differs; got:\n%s", a.file, name, got)
			return
		}
		a.Files[i].Data = []byte(got)
		if err := os.WriteFile(a.file, txtar.Format(a.Archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("%s has no %s", a.file, name)
}

// indexOf indexes a snapshot with a Retriever of its own.
func indexOf(t testing.TB, snap *tree.Snapshot) *Index {
	t.Helper()
	r, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	x, err := r.Sync(context.Background(), snap)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// snapshotOf parses path, text, path, text, …
func snapshotOf(files ...string) *tree.Snapshot {
	var entries []*format.Entry
	for i := 0; i < len(files); i += 2 {
		entries = append(entries, format.Parse(files[i], files[i+1]))
	}
	return tree.NewSnapshot(entries, nil)
}

func search(t testing.TB, x *Index, q Query) Result {
	t.Helper()
	res, err := x.Search(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// paths are the hits' paths, best first.
func paths(res Result) []string {
	var out []string
	for _, h := range res.Hits {
		out = append(out, h.Path)
	}
	return out
}
