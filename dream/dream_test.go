package dream

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/seal"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

var now = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// clock is a clock that the test moves.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// place is a `.brv` folder with those entries, and where a dream of it runs.
func place(t testing.TB, files map[string]string) (Host, *clock, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), ".brv")
	for p, text := range files {
		name := filepath.Join(dir, tree.Dir, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := &clock{now}
	s, err := store.Open(t.Context(), dir, store.Options{Seal: testSeal, Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return Host{Store: s, Now: c.now, Apply: s.Apply}, c, dir
}

// testSeal is the same in all processes of a test, and for copies of a folder.
var testSeal = seal.In(filepath.FromSlash("../internal/txn/testdata/config")).For("1")

func entry(title, body string, more ...string) string {
	return fmt.Sprintf("---\ntitle: %s\n%screatedAt: '2026-11-01T00:00:00.000Z'\nupdatedAt: '2026-11-01T00:00:00.000Z'\n---\n%s\n",
		title, strings.Join(more, ""), body)
}

func TestGates(t *testing.T) {
	h, c, _ := place(t, map[string]string{"a/b/one.md": entry("One", "x")})
	run := func(o Options) string {
		_, err := Run(t.Context(), h, o)
		if err != nil {
			return err.Error()
		}
		return ""
	}
	add := func(n int) {
		for i := range n {
			c.at = c.at.Add(time.Minute)
			op := plan.Op{Type: plan.OpAdd, Path: "a/b", Title: fmt.Sprint("E", c.at.Unix(), i), Summary: "s", Reason: "r"}
			if _, err := h.Store.Apply(context.Background(), plan.Batch{Ops: []plan.Op{op}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := run(Options{}); got != "Dream skipped: Not enough changes since the last dream (0 of 3)" {
		t.Error(got)
	}
	add(3)
	if got := run(Options{}); got != "" {
		t.Error(got)
	}
	c.at = c.at.Add(150 * time.Minute)
	add(3)
	if got := run(Options{}); got != "Dream skipped: The last dream was 2.5 hours ago (at least 12 hours must pass)" &&
		got != "Dream skipped: The last dream was 2.6 hours ago (at least 12 hours must pass)" {
		t.Error(got)
	}
	if got := run(Options{Force: true}); got != "" {
		t.Error(got)
	}
	c.at = c.at.Add(13 * time.Hour)
	if got := run(Options{}); got != "Dream skipped: Not enough changes since the last dream (0 of 3)" {
		t.Error(got)
	}
	h.Queue = func() string { return "1 proposal is being drafted" }
	add(3)
	if got := run(Options{}); got != "Dream skipped: The tree is in use (1 proposal is being drafted)" {
		t.Error(got)
	}
	unlock, err := lock(h.Store)
	if err != nil {
		t.Fatal(err)
	}
	if got := run(Options{Force: true}); !strings.HasPrefix(got, "Dream skipped: Another dream is running (process ") {
		t.Error(got)
	}
	unlock()
}
