package records

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// joined are the blocks of a table as they are read.
func joined(t *table) (out [][]byte) {
	for _, b := range append(t.blocks(), t.rows()) {
		out = append(out, bytes.Join(b, nil))
	}
	return out
}

// FuzzTable: what is taken comes back from its own blocks.
func FuzzTable(f *testing.F) {
	m := merge(&table{}, nil, nil)
	add := func() {
		blocks := joined(m)
		f.Add(blocks[0], blocks[1], blocks[2])
	}
	add()
	for i := range 3 {
		r := record(i, 0)
		m.files[r.Path] = row{stamp: r.Stamp, read: r.Read, hash: r.Hash}
		m.contents[r.Hash] = content{data: r.Data, blob: BlobKey("go", "name", int64(i))}
	}
	add()
	f.Fuzz(func(t *testing.T, index, data, rows []byte) {
		first, ok := newTable([][]byte{index, data})
		if !ok {
			return
		}
		first.decodeRows(rows)
		again := joined(first)
		second, ok := newTable(again[:2])
		second.decodeRows(again[2])
		if diff := cmp.Diff(first, second, cmp.AllowUnexported(table{}, row{}, content{})); diff != "" || !ok {
			t.Fatalf("read again %t:\n%s", ok, diff)
		}
	})
}
