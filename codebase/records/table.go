package records

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"sort"

	"github.com/brv-lsp/brv-lsp/internal/cachefile"
)

// The file has four blocks, all numbers in it little endian:
//
//	rows      56 bytes each, in order of path:
//	           u32 end of its path, u32 number of its content,
//	           i64 size, i64 modification, i64 change, u64 inode,
//	           i64 when it was read, i64 when it was last known to exist
//	paths     one after the other
//	contents  48 bytes each, in order of hash:
//	           hash, i64 when a file last had it, u64 end of its data
//	data      one after the other
//
// An end is counted from the start of the block it points into, where the one before
// ends. The blocks serve as they are: nothing is decoded before it is asked for, and
// a look-up is a binary search.
const (
	formatVersion = "records 1 "

	rowSize     = 4 + 4 + 6*8
	contentSize = sha256.Size + 8 + 8
)

// table is a saved file's content. It never changes; the zero value is empty.
type table struct {
	rows, paths, contents, data []byte
}

// readTable reads a file. One that is not as described gives an empty table.
func readTable(f cachefile.File, version string) *table {
	blocks, err := f.Read(version, MaxSize)
	if err != nil {
		return &table{}
	}
	t, ok := newTable(blocks)
	if !ok {
		return &table{}
	}
	return t
}

// newTable checks everything that look-ups rely on, so that they need not.
func newTable(blocks [][]byte) (*table, bool) {
	if len(blocks) != 4 {
		return nil, false
	}
	t := &table{blocks[0], blocks[1], blocks[2], blocks[3]}
	if len(t.rows)%rowSize != 0 || len(t.contents)%contentSize != 0 {
		return nil, false
	}
	return t, t.rowsAreSound() && t.contentsAreSound()
}

func (t *table) rowsAreSound() bool {
	at := uint32(0)
	var last []byte
	for i := range t.files() {
		end, content := le.Uint32(t.rows[i*rowSize:]), le.Uint32(t.rows[i*rowSize+4:])
		if end < at || int64(end) > int64(len(t.paths)) || int64(content) >= int64(t.sums()) {
			return false
		}
		path := t.paths[at:end]
		if i > 0 && bytes.Compare(last, path) >= 0 {
			return false
		}
		last, at = path, end
	}
	return int(at) == len(t.paths)
}

func (t *table) contentsAreSound() bool {
	at := uint64(0)
	for i := range t.sums() {
		end := le.Uint64(t.contents[i*contentSize+sha256.Size+8:])
		if end < at || end > uint64(len(t.data)) || i > 0 && bytes.Compare(t.sum(i-1), t.sum(i)) >= 0 {
			return false
		}
		at = end
	}
	return at == uint64(len(t.data))
}

var le = binary.LittleEndian

// files and sums are the numbers of rows and of contents.
func (t *table) files() int { return len(t.rows) / rowSize }
func (t *table) sums() int  { return len(t.contents) / contentSize }

// sum is the hash of a content.
func (t *table) sum(i int) []byte {
	return t.contents[i*contentSize:][:sha256.Size]
}

// path returns the path of a row.
func (t *table) path(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = le.Uint32(t.rows[(i-1)*rowSize:])
	}
	return t.paths[start:le.Uint32(t.rows[i*rowSize:])]
}

// row finds a path's row.
func (t *table) row(path string) (row, bool) {
	i := sort.Search(t.files(), func(i int) bool { return string(t.path(i)) >= path })
	if i == t.files() || string(t.path(i)) != path {
		return row{}, false
	}
	return t.rowAt(i), true
}

func (t *table) rowAt(i int) row {
	b := t.rows[i*rowSize:]
	number := func(n int) int64 { return int64(le.Uint64(b[8+8*n:])) }
	return row{
		stamp: Stamp{Size: number(0), ModTime: number(1), Change: number(2), Inode: uint64(number(3))},
		read:  number(4),
		used:  number(5),
		hash:  [sha256.Size]byte(t.sum(int(le.Uint32(b[4:])))),
	}
}

// content finds a content by its hash.
func (t *table) content(hash [sha256.Size]byte) (content, bool) {
	i := sort.Search(t.sums(), func(i int) bool { return bytes.Compare(t.sum(i), hash[:]) >= 0 })
	if i == t.sums() || !bytes.Equal(t.sum(i), hash[:]) {
		return content{}, false
	}
	return t.contentAt(i), true
}

func (t *table) contentAt(i int) content {
	b := t.contents[i*contentSize+sha256.Size:]
	start := uint64(0)
	if i > 0 {
		start = le.Uint64(t.contents[i*contentSize-8:])
	}
	end := le.Uint64(b[8:])
	return content{used: int64(le.Uint64(b)), data: t.data[start:end:end]}
}
