package codebase

import (
	"flag"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/jail"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// pool is shared by the tests of the package. Its limit is wide: what the tests
// expect must not depend on the machine's load.
var pool = syntax.NewPool(syntax.Options{Timeout: time.Minute})

// TestMain makes the test binary its own syntax worker.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	code := m.Run()
	pool.Close()
	os.Exit(code)
}

// scan maps a folder with symbols.
func scan(t testing.TB, root *jail.Root) *RepoMap {
	t.Helper()
	if !syntax.Available {
		t.Skip("built without cgo")
	}
	m, err := Scan(t.Context(), root, Options{Parser: pool})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// filesOf returns an archive's files but the ones named want.
func filesOf(a *txtar.Archive) map[string]string {
	files := map[string]string{}
	for _, f := range a.Files {
		if f.Name != "want" {
			files[f.Name] = string(f.Data)
		}
	}
	return files
}

// golden compares got with the archive's want file, or rewrites it.
func golden(t *testing.T, path string, a *txtar.Archive, got string) {
	t.Helper()
	if *update {
		out := &txtar.Archive{Comment: a.Comment}
		for _, f := range a.Files {
			if f.Name != "want" {
				out.Files = append(out.Files, f)
			}
		}
		out.Files = append(out.Files, txtar.File{Name: "want", Data: []byte(got)})
		if err := os.WriteFile(path, txtar.Format(out), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, f := range a.Files {
		if f.Name != "want" {
			continue
		}
		if diff := cmp.Diff(string(f.Data), got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		return
	}
	t.Error("no want file; run with -update")
}
