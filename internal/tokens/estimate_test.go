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
	off, exact, estimated, n := 0.0, 0, 0, 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want, got := Count(string(text)), Estimate(string(text))
		if want < 100 {
			continue
		}
		off += math.Abs(float64(got-want)) / float64(want)
		exact, estimated, n = exact+want, estimated+got, n+1
	}
	if mean := off / float64(n); mean > 0.06 {
		t.Errorf("mean error per file %.1f %%", 100*mean)
	}
	if total := float64(estimated)/float64(exact) - 1; math.Abs(total) > 0.03 {
		t.Errorf("error of the sum %.1f %%", 100*total)
	}
}

func TestEstimateOfNothingIsZero(t *testing.T) {
	if got := Estimate(""); got != 0 {
		t.Errorf("got %d", got)
	}
}

func BenchmarkCount(b *testing.B)    { benchmark(b, Count) }
func BenchmarkEstimate(b *testing.B) { benchmark(b, Estimate) }

func benchmark(b *testing.B, count func(string) int) {
	text, err := os.ReadFile("split.go")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		count(string(text))
	}
}
