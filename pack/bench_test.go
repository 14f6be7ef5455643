package pack

import (
	"fmt"
	"go/build"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/codebase/codebasetest"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// One pack of a real package; the map and the index are there already.
func BenchmarkBuild(b *testing.B) {
	in := inputs(b, filepath.Join(build.Default.GOROOT, "src", "net"), ownEntries)
	for _, budget := range []int{1000, 8000, 32000} {
		b.Run(strconv.Itoa(budget), func(b *testing.B) {
			for b.Loop() {
				if _, err := Build(b.Context(), in, Task{Text: "http2 server resets the stream when the request body is not read",
					Budget: budget}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Packs of 8,192 tokens on a tree of BRV_ENTRIES entries (10,000) about the first
// BRV_FILES files (5,000) of the Go library: one task after the other, and the same task
// with another cursor.
func BenchmarkLarge(b *testing.B) {
	in, paths := large(b, number("BRV_ENTRIES", 10_000), number("BRV_FILES", 5000))
	random := rand.New(rand.NewPCG(1, 2))
	in.Memory, in.Tokenizer = NewMemory(), tokens.DefaultEncoding
	b.Run("other task", func(b *testing.B) {
		for b.Loop() {
			task := Task{Text: "fix " + prose(random, 12), Budget: 8192, Offset: -1}
			if _, err := Build(b.Context(), in, task); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("other cursor", func(b *testing.B) {
		task := Task{Text: "fix " + prose(random, 12), Budget: 8192, File: paths[len(paths)/2]}
		text, err := in.Code.Read(task.File)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			task.Offset = random.IntN(len(text))
			if _, err := Build(b.Context(), in, task); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func number(variable string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return n
	}
	return otherwise
}

var vocabulary = strings.Fields(
	`request response header body stream reset timeout deadline parser token syntax tree node buffer reader writer cache
	lock mutex goroutine channel scheduler memory heap stack garbage collector pointer slice map hash key certificate handshake cipher verify
	signature archive compress decode encode format print scan file path directory permission socket address listen accept dial resolver`)

func prose(random *rand.Rand, n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = vocabulary[random.IntN(len(vocabulary))]
	}
	return strings.Join(words, " ")
}

// large makes the inputs of BenchmarkLarge.
func large(b *testing.B, entries, files int) (Inputs, []string) {
	dir := b.TempDir()
	src := filepath.Join(build.Default.GOROOT, "src")
	var paths []string
	err := filepath.WalkDir(src, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".go") || strings.Contains(p, "testdata") || len(paths) == files {
			return err
		}
		rel, _ := filepath.Rel(src, p)
		rel = strings.ReplaceAll(rel, "vendor", "vend") // what is vendored is no candidate
		text, err := os.ReadFile(p)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(dir, rel)), 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, rel), text, 0o644)
		}
		paths = append(paths, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	all := make([]*format.Entry, entries)
	for i := range all {
		text := fmt.Sprintf(
			"---\ntitle: %s\nsummary: %s\n---\n## Raw Concept\n**Files:**\n- %s\n\n## Narrative\n### Rules\n%s.\n\n### "+
				"Examples\n%s.\n\n## Facts\n- **%s**: %s\n",
			prose(random, 4), prose(random, 12), paths[random.IntN(len(paths))], prose(random, 120), prose(random, 80),
			prose(random, 2), prose(random, 6))
		all[i] = format.Parse(fmt.Sprintf("d%d/t%d/e%d.md", i%20, i/20%20, i), text)
	}
	m := codebasetest.Scan(b, dir)
	s := tree.NewSnapshot(all, nil)
	return Inputs{Tree: s, Code: m, Links: link.Build(s, m), Search: search(b, s), Count: tokens.Count, Estimate: tokens.Estimate}, paths
}
