package pack

import (
	"go/build"
	"path/filepath"
	"strconv"
	"testing"
)

// One pack of a real package; the map and the index are there already.
func BenchmarkBuild(b *testing.B) {
	in := inputs(b, filepath.Join(build.Default.GOROOT, "src", "net"), ownEntries)
	for _, budget := range []int{1000, 8000, 32000} {
		b.Run(strconv.Itoa(budget), func(b *testing.B) {
			for b.Loop() {
				if _, err := Build(b.Context(), in, Task{Text: "http2 server resets the stream when the request body is not read", Budget: budget}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
