package codebase

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// What a slab gives must not reach into what it gave before or will give next.
func TestSlabKeepsEachPart(t *testing.T) {
	s := &slab{}
	var kept, want [][]byte
	for i := range 3000 {
		b := bytes.Repeat([]byte{byte(i)}, i)
		if i == 2000 {
			b = make([]byte, 2*slabSize)
		}
		k := s.keep(b)
		if i%2 == 0 {
			_ = append(k, 0xff)
		}
		kept, want = append(kept, k), append(want, bytes.Clone(b))
		clear(b)
	}
	for i := range kept {
		if !bytes.Equal(kept[i], want[i]) {
			t.Fatalf("part %d is not what was given", i)
		}
	}
}

func TestSymbolCacheIsBounded(t *testing.T) {
	c := newSymbolCache()
	for i := range 200 {
		var f syntax.File
		for j := range 500 {
			f.Symbols = append(f.Symbols, syntax.Symbol{Name: fmt.Sprintf("F%d_%d", i, j), Kind: syntax.Function})
		}
		r := newRecord("a.go", []byte("package a"), [32]byte{byte(i)}, &f, nil)
		for range 2 { // the second is kept
			if got := c.of(r); len(got) != 500 || got[7].Name != fmt.Sprintf("F%d_7", i) {
				t.Fatalf("record %d has %d symbols", i, len(got))
			}
		}
		if n, size := c.decoded.Size(); size > decodedMemory || n == 0 || i < 20 && n != i+1 {
			t.Fatalf("%d records, %d bytes of %d after %d", n, size, decodedMemory, i+1)
		}
	}
	if n, _ := c.decoded.Size(); n == 200 {
		t.Error("nothing made room")
	}
}
