package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// TestDatesAreKept: what git said of entries holds for the next process, of the texts and the commit that it was asked about.
func TestDatesAreKept(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	entry := func(i int) string { return fmt.Sprintf("a/b/e%d.md", i) }
	write := func(i int, text string) {
		workspacetest.Write(t, dir, ".brv/context-tree/"+entry(i), "---\ntitle: E\n---\n"+text+"\n")
	}
	commit := func(date string) {
		workspacetest.GitAt(t, dir, date, "add", "-A")
		workspacetest.GitAt(t, dir, date, "commit", "-q", "-m", date)
	}
	workspacetest.GitAt(t, dir, "2026-01-01T00:00:00Z", "init", "-q", "-b", "main")
	for i := range 300 {
		write(i, fmt.Sprint("Text of ", i, "."))
	}
	commit("2026-02-01T00:00:00Z")
	look := func(i int, want string) {
		t.Helper()
		w, err := workspace.Open(t.Context(), dir, workspace.Options{Trusted: true, Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		w.ReadHistory(t.Context())
		at := w.View().Tree().Committed(entry(i))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if at.IsZero() && want != "" || !at.IsZero() && at.Format(time.DateOnly) != want {
			t.Errorf("%s: says so since %v, want %q", entry(i), at, want)
		}
	}
	look(1, "2026-02-01")
	kept, err := filepath.Glob(filepath.Join(cache, "dates-*"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("files with dates: %q, %v", kept, err)
	}
	before, _ := os.Stat(kept[0])
	look(1, "2026-02-01")
	write(2, "Changed.")
	look(2, "2026-02-01") // from when the former text counts, as before
	look(3, "2026-02-01")
	if after, _ := os.Stat(kept[0]); !os.SameFile(before, after) {
		t.Error("the file was written again for one text")
	}
	commit("2026-03-01T00:00:00Z")
	look(2, "2026-03-01")
	look(3, "2026-02-01")
	if err := os.WriteFile(kept[0], []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	look(2, "2026-03-01")
}
