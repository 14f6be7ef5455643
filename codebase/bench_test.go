package codebase

import (
	"go/build"
	"os"
	"path/filepath"
	"testing"
)

// goSource opens a folder of the Go distribution, if that has sources.
func goSource(b *testing.B, sub string) *RepoMap {
	b.Helper()
	dir := filepath.Join(build.Default.GOROOT, "src", sub)
	if _, err := os.Stat(dir); err != nil {
		b.Skip("no Go sources")
	}
	return scan(b, open(b, dir))
}

func BenchmarkScan(b *testing.B) {
	dir := filepath.Join(build.Default.GOROOT, "src", "net")
	if _, err := os.Stat(dir); err != nil {
		b.Skip("no Go sources")
	}
	root := open(b, dir)
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

func BenchmarkRank(b *testing.B) {
	m := goSource(b, "net")
	m.Rank(Query{Task: "warm up"})
	for b.Loop() {
		m.plan.Store(nil)
		m.Rank(Query{Task: "cookie jar drops cookies whose domain attribute has a trailing dot"})
	}
}

func BenchmarkOutline(b *testing.B) {
	m := goSource(b, "net")
	for b.Loop() {
		m.Outline(Query{}, 2000)
	}
}
