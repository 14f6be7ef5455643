package records

import (
	"crypto/sha256"
	"maps"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/cachefile"
	"github.com/brv-lsp/brv-lsp/internal/codec"
)

// The file of contents has two blocks: their descriptions, in the form of describe, and their data, one after the
// other. The data are used as they are. The file of paths has one block, in the form of describeRows.
const (
	formatVersion = "records 3 "

	// The largest size of a path and of a content, besides their own bytes.
	rowSize     = sha256.Size + 7*10
	contentSize = 2*sha256.Size + 2*10
)

// table holds the records of a file. It does not change after it was read.
type table struct {
	files    map[string]row
	contents map[[sha256.Size]byte]content
	blobs    map[[sha256.Size]byte][sha256.Size]byte // key of git's index → content
	borrowed bool                                    // they belong to another repository
}

// borrow returns the contents of the repository from which this one was cloned, or of another clone of that, if
// the store has no file of its own yet. A repository may state any origin. So only contents are used that are
// requested by the hash of a text in this repository, and nothing is written to the other's file.
func (s *Store) borrow() *table {
	if s.origin == "" {
		return &table{}
	}
	file := cachefile.Of(s.dir, "code", s.origin+"/.git\x00") // the form of [git.Shared]
	if blocks, err := s.clones().Read(s.version, 1<<10); err == nil && len(blocks) == 1 {
		file = file.Beside(string(blocks[0]))
	}
	if blocks, err := file.Read(s.version, maxSize); err == nil {
		if t, ok := newTable(blocks); ok {
			return &table{contents: t.contents, borrowed: true}
		}
	}
	return &table{}
}

// clones returns the file that names the contents' file of the clone that was saved last. The name of the origin
// is not used as a path.
func (s *Store) clones() cachefile.File { return cachefile.Of(s.dir, "clones", s.origin+"\x00") }

// read reads the files. An invalid file gives no records.
func (s *Store) read() *table {
	t := &table{}
	if blocks, err := s.file.Read(s.version, maxSize); err == nil {
		if read, ok := newTable(blocks); ok {
			t = read
		}
	}
	if blocks, err := s.paths.Read(s.version, maxSize); err == nil && len(blocks) == 1 {
		t.decodeRows(blocks[0])
	}
	return t
}

// decodeRows decodes the paths in a block, none if the block is invalid.
func (t *table) decodeRows(block []byte) {
	t.files = map[string]row{}
	if codec.Share(block, t.describeRows) != nil {
		t.files = nil
	}
}

func newTable(blocks [][]byte) (*table, bool) {
	if len(blocks) != 2 {
		return nil, false
	}
	n := len(blocks[0]) / 70 // the approximate size of a content's description
	t := &table{contents: make(map[[sha256.Size]byte]content, n), blobs: make(map[[sha256.Size]byte][sha256.Size]byte, n)}
	err := codec.Decode(blocks[0], func(c *codec.Coder) {
		left := t.describe(c, cachefile.Block{blocks[1]})
		c.Check(len(left[0]) == 0)
	})
	return t, err == nil
}

// blocks returns the blocks of the contents.
func (t *table) blocks() []cachefile.Block {
	var data cachefile.Block
	index := codec.Append(nil, func(c *codec.Coder) { data = t.describe(c, nil) })
	return []cachefile.Block{{index}, data}
}

// rows returns the block of the paths.
func (t *table) rows() cachefile.Block { return cachefile.Block{codec.Append(nil, t.describeRows)} }

// describe describes the contents to a coder, without their data. When decoding, it takes the data from a block
// and returns the rest; when encoding, it appends them to a block.
func (t *table) describe(c *codec.Coder, data cachefile.Block) cachefile.Block {
	hashes := slices.Collect(maps.Keys(t.contents))
	codec.List(c, &hashes, func(h *[sha256.Size]byte) {
		c.Array(h[:])
		k := t.contents[*h]
		size := len(k.data)
		c.Array(k.blob[:])
		codec.Int(c, &k.used)
		codec.Uint(c, &size)
		if !c.Reading {
			data = append(data, k.data)
			return
		}
		if c.Check(size <= len(data[0])); size <= len(data[0]) {
			k.data, data[0] = data[0][:size:size], data[0][size:]
			t.contents[*h] = k
			if k.blob != [sha256.Size]byte{} {
				t.blobs[k.blob] = *h
			}
		}
	})
	return data
}

// describeRows describes the paths to a coder.
func (t *table) describeRows(c *codec.Coder) {
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
}
