package codebase

import (
	"fmt"
	"go/build"
	"os"
	"path/filepath"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/jail/jailtest"
)

// goSource opens a folder of the Go distribution, if that has sources.
func goSource(b *testing.B, sub string) *RepoMap {
	b.Helper()
	dir := filepath.Join(build.Default.GOROOT, "src", sub)
	if _, err := os.Stat(dir); err != nil {
		b.Skip("no Go sources")
	}
	return scan(b, jailtest.Open(b, dir))
}

func BenchmarkScan(b *testing.B) {
	dir := filepath.Join(build.Default.GOROOT, "src", "net")
	if _, err := os.Stat(dir); err != nil {
		b.Skip("no Go sources")
	}
	root := jailtest.Open(b, dir)
	scan(b, root) // start the workers
	files := 0
	for b.Loop() {
		files = len(scan(b, root).Chunks())
	}
	b.ReportMetric(float64(files), "files")
}

func BenchmarkUpdateOneFile(b *testing.B) {
	m := goSource(b, "net")
	for b.Loop() {
		next, err := m.Update(b.Context(), []string{"http/cookie.go"})
		if err != nil {
			b.Fatal(err)
		}
		m = next
	}
}

// BenchmarkRank ranks some 400 files, and more than 1,000.
func BenchmarkRank(b *testing.B) {
	for _, folder := range []string{"net", "internal"} {
		b.Run(folder, func(b *testing.B) {
			m := goSource(b, folder)
			m.Rank(Query{Task: "warm up"})
			for b.Loop() {
				m.task.Store(nil)
				m.Rank(Query{Task: "cookie jar drops cookies whose domain attribute has a trailing dot"})
			}
			b.ReportMetric(float64(len(m.chunks)), "files")
		})
	}
}

// BenchmarkRankMoved asks again after the cursor moved; BenchmarkRankOpened for the
// same file of a map that was not asked before.
func BenchmarkRankMoved(b *testing.B) {
	m := goSource(b, "net")
	q := Query{Task: "cookie jar drops cookies whose domain attribute has a trailing dot", File: "http/cookie.go"}
	m.Rank(q)
	for b.Loop() {
		q.Offset = (q.Offset + 97) % 10_000
		m.Rank(q)
	}
}

func BenchmarkRankOpened(b *testing.B) {
	m := goSource(b, "net")
	q := Query{Task: "cookie jar drops cookies whose domain attribute has a trailing dot", File: "http/cookie.go"}
	m.Rank(q)
	for b.Loop() {
		m.task.Store(nil)
		m.near.Store(nil)
		m.Rank(q)
	}
}

// BenchmarkWith lays ten texts over a map, one of them another one each time.
func BenchmarkWith(b *testing.B) {
	m := goSource(b, "net")
	texts := map[string]string{}
	for i := range 10 {
		p := m.chunks[i*len(m.chunks)/10].Path
		text, err := m.Read(p)
		if err != nil {
			b.Fatal(err)
		}
		texts[p] = text + "\n// changed\n"
	}
	text, err := m.Read("http/cookie.go")
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		texts["http/cookie.go"] = fmt.Sprintf("%s\n// %d\n", text, i)
		if _, err := m.With(b.Context(), texts); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOutline(b *testing.B) {
	m := goSource(b, "net")
	for b.Loop() {
		m.Outline(Query{}, 2000)
	}
}
