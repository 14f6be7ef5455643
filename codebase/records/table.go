package records

import (
	"crypto/sha256"
	"maps"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/cachefile"
	"github.com/brv-lsp/brv-lsp/internal/codec"
)

// The file of the contents has two blocks: what is said of them, as describe has it, and their data, one after the other.
// The data serves as it is. The file of the paths has one, as describeRows has it.
const (
	formatVersion = "records 3 "

	// The most that a path and a content take beside their own bytes.
	rowSize     = sha256.Size + 7*10
	contentSize = 2*sha256.Size + 2*10
)

// table holds the records of a file. One that was read never changes.
type table struct {
	files    map[string]row
	contents map[[sha256.Size]byte]content
	blobs    map[[sha256.Size]byte][sha256.Size]byte // contents by their key of git's index
	borrowed bool                                    // they are another repository's
}

// borrow returns the contents of what the repository was cloned from, or of another clone of that, where the own file has
// none yet. What a repository says of its origin is its own word: so only contents are taken that it asks for by the hash of a
// text that it has, and nothing is written to another's file.
func (s *Store) borrow() *table {
	if s.origin == "" {
		return &table{}
	}
	file := cachefile.Of(s.dir, "code", s.origin+"/.git\x00") // as [git.Shared] has it
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

// clones is the file that names the file of the contents of the clone that was saved last. The name of the origin is no path
// that anything looks at.
func (s *Store) clones() cachefile.File { return cachefile.Of(s.dir, "clones", s.origin+"\x00") }

// read reads the files. One that is not as described gives nothing.
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

// decodeRows takes the paths of a block, none where it is not as described.
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
	n := len(blocks[0]) / 70 // about what a content takes in it
	t := &table{contents: make(map[[sha256.Size]byte]content, n), blobs: make(map[[sha256.Size]byte][sha256.Size]byte, n)}
	err := codec.Decode(blocks[0], func(c *codec.Coder) {
		left := t.describe(c, cachefile.Block{blocks[1]})
		c.Check(len(left[0]) == 0)
	})
	return t, err == nil
}

// blocks are the blocks of the contents.
func (t *table) blocks() []cachefile.Block {
	var data cachefile.Block
	index := codec.Append(nil, func(c *codec.Coder) { data = t.describe(c, nil) })
	return []cachefile.Block{{index}, data}
}

// rows is the block of the paths.
func (t *table) rows() cachefile.Block { return cachefile.Block{codec.Append(nil, t.describeRows)} }

// describe describes the contents without their data. It takes those from a block that is read, of which it returns the rest,
// or appends them to a block.
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

// describeRows describes the paths.
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
