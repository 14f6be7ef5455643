package lsp

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/lsp/position"
)

func TestWalkIsPosition(t *testing.T) {
	text := strings.Repeat("a😀é\r\n\n\rbeta 日本\xff\n", 20) + "end"
	random := rand.New(rand.NewPCG(5, 6))
	for _, enc := range []position.Encoding{position.UTF8, position.UTF16, position.UTF32} {
		m := position.NewMapper(text, enc)
		for range 50 {
			w, off := m.Walk(), 0
			for off <= len(text)+2 {
				if got, want := w.Position(off), m.Position(off); got != want {
					t.Fatalf("offset %d in encoding %d: %v, want %v", off, enc, got, want)
				}
				if off += random.IntN(9); random.IntN(20) == 0 {
					off = max(0, off-30)
				}
			}
		}
	}
}
