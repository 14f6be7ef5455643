package syntax

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"
	"testing/quick"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/internal/codec"
)

// sample holds every field of every type once, with what is easily lost:
// repeated names, empty strings, spans out of order, a body without a doc.
func sample() File {
	return File{
		Module: "net", Partial: "cut", Lost: []Span{{2, 3}, {7, 7}}, Slow: true,
		Symbols: []Symbol{
			{Name: "Dial", Kind: Function, Exported: true, NameAt: Span{25, 29}, Range: Span{20, 90}, Body: Span{40, 90},
				DocAt: Span{0, 19}, Signature: "func Dial()", Doc: "Dial dials.", Line: 2},
			{Name: "Dial", Kind: Method, Container: "Dialer", NameAt: Span{105, 109}, Range: Span{100, 120}, Signature: "func", Line: 9},
			{},
		},
		References: []Reference{
			{Name: "Dial", Qualifier: "net", Kind: Call, At: Span{50, 54}},
			{Name: "x", Kind: Use, At: Span{45, 46}},
		},
		Imports: []Import{
			{Spec: "fmt", At: Span{3, 8}},
			{Spec: "./a", Names: []string{"b", "", "b"}, As: []string{"", "d"}, Alias: "c", Kind: ImportReexport, At: Span{1, 2}},
		},
		Comments: []Span{{0, 19}, {93, 99}, {93, 93}},
	}
}

func TestCodecKeepsEverything(t *testing.T) {
	for name, want := range map[string]File{"all": sample(), "empty": {}, "reason only": {Partial: "no"}} {
		b := want.Append([]byte("before"))
		got, err := decodeFile(b[len("before"):])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		symbols, err := DecodeSymbols(AppendSymbols(nil, want.Symbols))
		if err != nil || !reflect.DeepEqual(symbols, want.Symbols) {
			t.Errorf("%s: symbols %+v, %v", name, symbols, err)
		}
	}
}

// TestCodecKeepsAnyFile tries files that no parser makes: any text, any position.
func TestCodecKeepsAnyFile(t *testing.T) {
	same := func(f File) bool {
		b := f.Append(nil)
		got, err := decodeFile(b)
		symbols, err2 := DecodeSymbols(AppendSymbols(nil, f.Symbols))
		return err == nil && err2 == nil && reflect.DeepEqual(f, got) && reflect.DeepEqual(f.Symbols, symbols)
	}
	if err := quick.Check(same, &quick.Config{MaxCount: 300}); err != nil {
		t.Error(err)
	}
}

func TestEveryCutIsAnError(t *testing.T) {
	f := sample()
	whole := f.Append(nil)
	for n := range whole {
		if _, err := decodeFile(whole[:n]); !errors.Is(err, codec.ErrDamaged) {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
	if _, err := decodeFile(append(whole, 0)); !errors.Is(err, codec.ErrDamaged) {
		t.Errorf("a byte too many: %v", err)
	}
}

// TestClaimedSizesCostNothing writes a huge number at every place of an input: no
// count is believed before the bytes for it are there.
func TestClaimedSizesCostNothing(t *testing.T) {
	f := sample()
	whole := f.Append(nil)
	huge := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}
	for i := range whole {
		damaged := append(append(append([]byte{}, whole[:i]...), huge...), whole[i:]...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := decodeFile(damaged)
		runtime.ReadMemStats(&after)
		if size := after.TotalAlloc - before.TotalAlloc; size > 1<<20 {
			t.Errorf("at %d: %d bytes allocated, %v", i, size, err)
		}
	}
}

// FuzzDecode feeds the decoder anything: it must end, and what it takes must come
// back from its own encoding.
func FuzzDecode(f *testing.F) {
	s := sample()
	f.Add(s.Append(nil))
	f.Add((&File{}).Append(nil))
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		b := s.Append(nil)
		b[r.IntN(len(b))] ^= byte(1 << r.IntN(8))
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = DecodeSymbols(data)
		first, err := decodeFile(data)
		if err != nil {
			if !errors.Is(err, codec.ErrDamaged) {
				t.Fatal(err)
			}
			return
		}
		second, err := decodeFile(first.Append(nil))
		if err != nil || !reflect.DeepEqual(first, second) {
			t.Errorf("%+v came back as %+v, %v", first, second, err)
		}
	})
}
