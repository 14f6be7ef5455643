package codebase

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/internal/jail/jailtest"
)

// TestImportsResolve runs the archives resolve_*.txtar: a tree, and in its file
// "want" each import with the files it leads to, then the edges of the graph.
func TestImportsResolve(t *testing.T) {
	paths, err := filepath.Glob("testdata/resolve_*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no archives", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			m := scan(t, jailtest.Folder(t, filesOf(a)))
			golden(t, path, a, graphListing(m))
		})
	}
}

func graphListing(m *RepoMap) string {
	var b strings.Builder
	for _, c := range m.Chunks() {
		for _, i := range c.Imports() {
			to := strings.Join(i.Paths, " ")
			if to == "" {
				to = "-"
			}
			spec := i.Spec
			if len(i.Names) > 0 {
				spec += " {" + strings.Join(i.Names, ", ") + "}"
			}
			fmt.Fprintf(&b, "%s: %s => %s\n", c.Path, spec, to)
		}
	}
	for _, c := range m.Chunks() {
		if deps := m.Dependencies(c.Path); len(deps) > 0 {
			fmt.Fprintf(&b, "%s -> %s\n", c.Path, strings.Join(deps, " "))
		}
	}
	return b.String()
}
