package lsp_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// BenchmarkHover measures the round trip of a hover over a relation, through the
// whole server and the scripted editor, in a tree of some size.
func BenchmarkHover(b *testing.B) {
	for _, entries := range []int{100, 5_000} {
		b.Run(fmt.Sprint(entries), func(b *testing.B) {
			e, file := benchSession(b, entries)
			took := make([]time.Duration, 0, 1000)
			for b.Loop() {
				begin := time.Now()
				if h, err := e.Hover(b.Context(), file, 5); err != nil || h == nil {
					b.Fatal(h, err)
				}
				took = append(took, time.Since(begin))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-µs")
		})
	}
}

// BenchmarkEdit measures how long a change of a 1 MB entry takes until the next
// question about it is answered.
func BenchmarkEdit(b *testing.B) {
	e, file := benchSession(b, 100)
	if err := e.Replace(file, strings.Repeat("a line of an entry that is very long\n", 30_000)); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := e.Edit(file, 5, 5, "x"); err != nil {
			b.Fatal(err)
		}
		if err := e.Call(b.Context(), "test/echo", nil, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func benchSession(b *testing.B, entries int) (*lsptest.Editor, string) {
	b.Helper()
	root := b.TempDir()
	name := func(i int) string { return fmt.Sprintf("domain_%d/topic_%d/entry_%d.md", i%10, i%100, i) }
	for i := range entries {
		text := fmt.Sprintf("See @%s.\n\nSome words about number %d.\n", name((i+1)%entries), i)
		writeFile(b, filepath.Join(root, ".brv/context-tree", name(i)), text)
	}
	e := lsptest.Start(withEcho(lsp.Options{}))
	b.Cleanup(e.Close)
	if _, err := e.Initialize(b.Context(), lsptest.Session{Folders: []string{root}, Capabilities: lsptest.Modern()}); err != nil {
		b.Fatal(err)
	}
	return e, open(b, e, filepath.Join(root, ".brv/context-tree"), name(0))
}
