package store

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree"
)

// TestHugeFileIsNotRead has a file of 100 MB that takes no space on disk.
func TestHugeFileIsNotRead(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, tree.Dir, "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	huge := filepath.Join(dir, tree.Dir, "a", "huge.md")
	f, err := os.Create(huge)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(100 << 20); err != nil {
		t.Fatal(err)
	}
	f.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, err := Open(context.Background(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc
	t.Logf("%d KiB allocated", allocated>>10)
	if allocated > 8<<20 {
		t.Errorf("%d bytes allocated", allocated)
	}
	skipped := s.Snapshot().Skipped()
	if len(skipped) != 1 || skipped[0].Path != "a/huge.md" || !strings.Contains(skipped[0].Reason, "limit") {
		t.Errorf("skipped %v", skipped)
	}
}
