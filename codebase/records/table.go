package records

import (
	"crypto/sha256"
	"maps"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/cachefile"
	"github.com/brv-lsp/brv-lsp/internal/codec"
)

// The file has two blocks: what is said of contents and paths, as describe has it, and the data of the contents, one
// after the other. The data serves as it is.
const (
	formatVersion = "records 2 "

	// The most that a path and a content take beside their own bytes.
	rowSize     = sha256.Size + 7*10
	contentSize = sha256.Size + 2*10
)

// table holds the records of a file. One that was read never changes.
type table struct {
	files    map[string]row
	contents map[[sha256.Size]byte]content
}

// readTable reads a file. One that is not as described gives an empty table.
func readTable(f cachefile.File, version string) *table {
	if blocks, err := f.Read(version, maxSize); err == nil {
		if t, ok := newTable(blocks); ok {
			return t
		}
	}
	return &table{}
}

func newTable(blocks [][]byte) (*table, bool) {
	if len(blocks) != 2 {
		return nil, false
	}
	n := len(blocks[0]) / 200 // about what a file takes in it
	t := &table{make(map[string]row, n), make(map[[sha256.Size]byte]content, n)}
	err := codec.Decode(blocks[0], func(c *codec.Coder) {
		left := t.describe(c, cachefile.Block{blocks[1]})
		c.Check(len(left[0]) == 0)
	})
	return t, err == nil
}

// blocks are the file's blocks.
func (t *table) blocks() []cachefile.Block {
	var data cachefile.Block
	index := codec.Append(nil, func(c *codec.Coder) { data = t.describe(c, nil) })
	return []cachefile.Block{{index}, data}
}

// describe describes the table without its data. It takes those from a block that is read, of which it returns the rest,
// or appends them to a block.
func (t *table) describe(c *codec.Coder, data cachefile.Block) cachefile.Block {
	hashes := slices.Collect(maps.Keys(t.contents))
	codec.List(c, &hashes, func(h *[sha256.Size]byte) {
		c.Array(h[:])
		k := t.contents[*h]
		size := len(k.data)
		codec.Int(c, &k.used)
		codec.Uint(c, &size)
		if !c.Reading {
			data = append(data, k.data)
			return
		}
		if c.Check(size <= len(data[0])); size <= len(data[0]) {
			k.data, data[0] = data[0][:size:size], data[0][size:]
			t.contents[*h] = k
		}
	})
	paths := slices.Collect(maps.Keys(t.files))
	codec.List(c, &paths, func(p *string) {
		c.Text(p)
		r := t.files[*p]
		c.Array(r.hash[:])
		codec.Int(c, &r.stamp.Size, &r.stamp.ModTime, &r.stamp.Change, &r.read, &r.used)
		if codec.Uint(c, &r.stamp.Inode); c.Reading {
			t.files[*p] = r
		}
	})
	return data
}
