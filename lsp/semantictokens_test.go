package lsp

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/lsp/position"
)

func TestTokenResultsAreBounded(t *testing.T) {
	var r tokenResults
	first := r.keep("a", make([]uint32, 10))
	second := r.keep("a", make([]uint32, 20))
	if _, ok := r.find("a", first); ok {
		t.Error("the earlier result of a document is kept")
	}
	if data, ok := r.find("a", second); !ok || len(data) != 20 {
		t.Error("the last result of a document is lost")
	}
	if _, ok := r.find("b", second); ok {
		t.Error("a result serves another document")
	}
	for i := range 3 * maxTokenResults {
		r.keep(fmt.Sprint(i), nil)
	}
	if len(r.kept) != maxTokenResults {
		t.Errorf("%d documents are kept", len(r.kept))
	}
	r.keep("big", make([]uint32, maxTokenInts-1))
	r.keep("small", make([]uint32, 2))
	if len(r.kept) != 1 || r.kept[0].key != "small" {
		t.Errorf("%d results are kept behind a large one", len(r.kept))
	}
	if r.keep("huge", make([]uint32, maxTokenInts+1)); len(r.kept) != 0 {
		t.Error("a result is kept that is larger than all may be")
	}
}

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
