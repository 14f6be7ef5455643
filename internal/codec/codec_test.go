package codec

import (
	"errors"
	"math"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"testing/quick"
)

// all has a field for each function of a Coder.
type all struct {
	Count uint64
	Small uint8
	Int   int
	Wide  int64
	Near  int
	Hash  uint32
	A, B  bool
	Text  string
	Names []string
	Bytes []byte
	Array [3]byte
	Below []all
}

func (a *all) describe(c *Coder) {
	Uint(c, &a.Count)
	Uint(c, &a.Small)
	Int(c, &a.Int)
	Int(c, &a.Wide)
	Near(c, &a.Near, a.Int)
	c.Fixed(&a.Hash)
	c.Flags(&a.A, &a.B)
	c.Text(&a.Text)
	List(c, &a.Names, func(s *string) { c.Name(s) })
	c.Bytes(&a.Bytes)
	c.Array(a.Array[:])
	List(c, &a.Below, func(b *all) { b.describe(c) })
}

func sample() *all {
	return &all{
		Count: math.MaxUint64, Small: 255, Int: -3, Wide: math.MinInt64, Near: math.MaxInt, Hash: 1 << 31, B: true, Text: "é",
		Names: []string{"a", "", "a", "b", ""}, Bytes: []byte{0, 255}, Array: [3]byte{1, 2, 3},
		Below: []all{{Bytes: []byte{}}, {Names: []string{"b"}, Bytes: []byte{}, Below: []all{}}},
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	same := func(want all) bool {
		var got all
		b := Append([]byte("before"), want.describe)
		err := Decode(b[len("before"):], got.describe)
		if len(want.Bytes) == 0 {
			want.Bytes = []byte{} // nil comes back as empty
		}
		return err == nil && reflect.DeepEqual(want, got)
	}
	if !same(*sample()) {
		t.Error("the sample is another one")
	}
	if err := quick.Check(same, nil); err != nil {
		t.Error(err)
	}
}

func TestOtherBytesAreDamaged(t *testing.T) {
	whole := Append(nil, sample().describe)
	for n := range whole {
		if err := Decode(whole[:n], new(all).describe); !errors.Is(err, ErrDamaged) {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
	if err := Decode(append(whole, 0), new(all).describe); !errors.Is(err, ErrDamaged) {
		t.Errorf("a byte too many: %v", err)
	}
	for value, damaged := range map[int]bool{255: false, 256: true, -1: true} {
		b := Append(nil, func(c *Coder) { Int(c, &value) })
		var small uint8
		if err := Decode(b, func(c *Coder) { Int(c, &small) }); (err != nil) != damaged {
			t.Errorf("%d as a byte: %v", value, err)
		}
	}
}

// TestListsTakeNoMoreThanIsThere writes a huge number at every place, and has items larger than growth allows.
func TestListsTakeNoMoreThanIsThere(t *testing.T) {
	whole := Append(nil, sample().describe)
	huge := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}
	for i := range whole {
		damaged := slices.Concat(whole[:i], huge, whole[i:])
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := Decode(damaged, new(all).describe)
		runtime.ReadMemStats(&after)
		if size := after.TotalAlloc - before.TotalAlloc; size > 1<<17 {
			t.Errorf("at %d: %d bytes allocated, %v", i, size, err)
		}
	}
	large, read := make([][1 << 10]byte, 1000), [][1 << 10]byte(nil)
	first := func(c *Coder) func(*[1 << 10]byte) { return func(v *[1 << 10]byte) { c.Array(v[:1]) } }
	large[999][0] = 7
	b := Append(nil, func(c *Coder) { List(c, &large, first(c)) })
	if err := Decode(b, func(c *Coder) { List(c, &read, first(c)) }); err != nil || !slices.Equal(large, read) {
		t.Errorf("%d of %d items, %v", len(read), len(large), err)
	}
}

// FuzzDecode: what is taken comes back from its own encoding.
func FuzzDecode(f *testing.F) {
	f.Add(Append(nil, sample().describe))
	f.Add(Append(nil, new(all).describe))
	f.Fuzz(func(t *testing.T, data []byte) {
		var first, second all
		if err := Decode(data, first.describe); err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
			return
		}
		if err := Decode(Append(nil, first.describe), second.describe); err != nil || !reflect.DeepEqual(first, second) {
			t.Errorf("%+v came back as %+v, %v", first, second, err)
		}
	})
}
