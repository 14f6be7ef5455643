package tokens

import (
	"go/build"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// The bound is the package comment's figure with room for other Go versions.
func TestEstimateIsCloseOnGoSource(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(build.Default.GOROOT, "src", "net", "*.go"))
	if len(files) == 0 {
		t.Skip("no Go source here")
	}
	for _, e := range encodings {
		off, exact, estimated, n := 0.0, 0, 0, 0
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want, got := e.Count(string(text)), e.Estimate(string(text))
			if want < 100 {
				continue
			}
			off += math.Abs(float64(got-want)) / float64(want)
			exact, estimated, n = exact+want, estimated+got, n+1
		}
		if mean := off / float64(n); mean > 0.06 {
			t.Errorf("%s: mean error per file %.1f %%", e.name, 100*mean)
		}
		if total := float64(estimated)/float64(exact) - 1; math.Abs(total) > 0.03 {
			t.Errorf("%s: error of the sum %.1f %%", e.name, 100*total)
		}
	}
}

func TestEstimateOfNothingIsZero(t *testing.T) {
	for _, e := range encodings {
		if got := e.Estimate(""); got != 0 {
			t.Errorf("%s: got %d", e.name, got)
		}
	}
}

// Count and Estimate of each encoding, and what the library's own Encode takes.
func BenchmarkCount(b *testing.B) {
	text, err := os.ReadFile("split.go")
	if err != nil {
		b.Fatal(err)
	}
	run := func(name string, count func(string)) {
		b.Run(name, func(b *testing.B) {
			count("x") // loads the vocabulary
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				count(string(text))
			}
		})
	}
	for _, e := range encodings {
		run(e.name+"/count", func(s string) { e.Count(s) })
		run(e.name+"/estimate", func(s string) { e.Estimate(s) })
		if c, ok := splits[e.name]; ok {
			library := c.library()
			run(e.name+"/library", func(s string) {
				if _, _, err := library.Encode(s); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}
