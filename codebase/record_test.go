package codebase

import (
	"bytes"
	"fmt"
	"reflect"
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
		k := s.keep(func(to []byte) []byte { return append(to, b...) })
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

// FuzzRecord: what is taken comes back from its own encoding, and can be asked.
func FuzzRecord(f *testing.F) {
	text := []byte("// @brv:a/b\npackage a\n\nfunc Alpha() { beta.Gamma() }\n")
	parsed := &syntax.File{
		Symbols: []syntax.Symbol{
			{Name: "Alpha", Kind: syntax.Function, Range: syntax.Span{Start: 23, End: 52}},
			{Name: "M", Kind: syntax.Module, Range: syntax.Span{Start: 30, End: 52}, Body: syntax.Span{Start: 36, End: 52}},
		},
		References: []syntax.Reference{{Name: "Gamma", Qualifier: "beta"}},
		Imports:    []syntax.Import{{Spec: "beta", Names: []string{"x"}}},
		Comments:   []syntax.Span{{Start: 0, End: 11}},
		Module:     "a", Partial: "cut", Lost: []syntax.Span{{Start: 1, End: 2}},
	}
	f.Add(newRecord("a.go", text, [32]byte{1}, parsed, nil).encode(nil))
	f.Add(wordsOf("a.txt", text, [32]byte{2}).encode(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := decodeRecord(data)
		if err != nil {
			return
		}
		for i := range first.vector.n {
			first.vector.at(i)
			first.vector.frequency(i)
			first.vector.bySegment(i, func(int, int) {})
		}
		second, err := decodeRecord(first.encode(nil))
		if err != nil || !reflect.DeepEqual(first, second) {
			t.Errorf("%+v came back as %+v, %v", first, second, err)
		}
	})
}
