//go:build cgo

package syntax

import (
	"go/build"
	"os"
	"path/filepath"
	"testing"
)

func BenchmarkParse(b *testing.B) {
	paths, _ := filepath.Glob(filepath.Join(build.Default.GOROOT, "src", "net", "http", "*.go"))
	if len(paths) == 0 {
		b.Skip("no Go sources")
	}
	p := newParser()
	defer p.close()
	size := 0
	for b.Loop() {
		size = 0
		for _, path := range paths {
			src, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			p.parse(Request{path, Go, src}, KillAfter)
			size += len(src)
		}
	}
	b.SetBytes(int64(size))
	b.ReportMetric(float64(len(paths)), "files")
}
