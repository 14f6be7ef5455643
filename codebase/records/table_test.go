package records

import (
	"bytes"
	"testing"
)

func FuzzTable(f *testing.F) {
	m := merge(&table{}, map[string]*row{}, nil)
	add := func() {
		var blocks [][]byte
		for _, b := range m.blocks() {
			blocks = append(blocks, bytes.Join(b, nil))
		}
		f.Add(blocks[0], blocks[1], blocks[2], blocks[3])
	}
	add()
	for i := range 3 {
		r := record(i, 0)
		m.files[r.Path] = row{stamp: r.Stamp, read: r.Read, hash: r.Hash}
		m.contents[r.Hash] = content{data: r.Data}
	}
	add()
	f.Fuzz(func(t *testing.T, rows, paths, contents, data []byte) {
		tab, ok := newTable([][]byte{rows, paths, contents, data})
		if !ok {
			return
		}
		for i := range tab.files() {
			if got, ok := tab.row(string(tab.path(i))); !ok || got != tab.rowAt(i) {
				t.Fatalf("path %q is not found", tab.path(i))
			}
		}
		m := merge(tab, nil, nil)
		for h, c := range m.contents {
			if got, ok := tab.content(h); !ok || !bytes.Equal(got.data, c.data) {
				t.Fatalf("content %x is not found", h)
			}
		}
		var again [][]byte
		for _, b := range m.blocks() {
			again = append(again, bytes.Join(b, nil))
		}
		for i, b := range [][]byte{rows, paths, contents, data} {
			if !bytes.Equal(b, again[i]) {
				t.Fatalf("block %d is read otherwise than it was written", i)
			}
		}
	})
}
