package drift

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// What was found is known to the next process without git, and holds as long as what it is about does.
func TestFoundDriftIsKeptForTheNextProcess(t *testing.T) {
	first := workspacetest.Drifted(t, workspace.Options{})
	dir, cache := first.Root(), t.TempDir()
	open := func() *workspace.Workspace {
		t.Helper()
		w, err := workspace.Open(t.Context(), dir, workspace.Options{Trusted: true, Cache: cache})
		if err == nil {
			err = w.WaitCode(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	look := func(w *workspace.Workspace) (recalled bool, found int) {
		t.Helper()
		v := w.View()
		e, _ := v.Tree().Entry(workspacetest.TokensEntry)
		k := newKeeper(v, v.Links())
		known, missing := k.recall(comparisons.Of(v), v.Tree().Entries()[:0])
		if len(known)+len(missing) != 0 {
			t.Errorf("of nothing: %v, %v", known, missing)
		}
		r, ok := comparisons.Of(v).kept[k.key(e)]
		all, err := Known(t.Context(), v, e)
		if err != nil {
			t.Fatal(err)
		}
		return ok && (r.Code == "" || r.Code == k.files()), len(all[e.Path])
	}
	for _, step := range []struct {
		name     string
		do       func()
		recalled bool
		found    int
	}{
		{"first", func() {}, false, 2},
		{"again", func() {}, true, 2},
		{"another file of the code", func() { workspacetest.Write(t, dir, "src/other.go", "package src\n\nfunc Other() {}\n") }, false, 2},
		{"a file that is gone is back", func() { workspacetest.Write(t, dir, "src/gone.go", "package src\n\nfunc Gone() {}\n") }, false, 2},
		{"without what is gone nothing else matters", func() { workspacetest.Write(t, dir, "src/other.go", "package src\n") }, true, 2},
		{"a file that is named", func() { workspacetest.Write(t, dir, "src/same.go", "package src\n\nvar Same = 1\n") }, false, 3},
		{"another commit", func() {
			workspacetest.GitAt(t, dir, "2026-08-01T00:00:00Z", "commit", "-q", "--allow-empty", "-m", "x")
		}, false, 3},
		{"a damaged file", func() {
			files, err := filepath.Glob(filepath.Join(cache, "drift-*"))
			if err != nil || len(files) != 1 || os.Truncate(files[0], 100) != nil {
				t.Fatal(files, err)
			}
		}, false, 3},
	} {
		step.do()
		w := open()
		if recalled, found := look(w); recalled != step.recalled || found != step.found {
			t.Errorf("%s: recalled %t, %d found", step.name, recalled, found)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, ".git/HEAD")); err != nil || strings.Contains(string(text), "brv") {
		t.Error("the repository was written to")
	}
}
