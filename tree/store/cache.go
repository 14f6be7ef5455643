package store

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/cachefile"
	"github.com/brv-lsp/brv-lsp/internal/codec"
	"github.com/brv-lsp/brv-lsp/internal/panics"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// The cache is one file with the texts and what parsing them gave, so that
// opening a large tree need not read and parse each file: 10,000 entries of 2.4 KB
// open in 0.58 s without and in 0.15 s with it (two cores; BenchmarkOpenCold and
// BenchmarkOpenWarm). The file is package cachefile's, of three blocks: the index, as
// cacheIndex describes it, of each file what package format writes of its text,
// one after the other, and what the relations of all mean. So it is the snapshot of an earlier process, of which
// opening a tree reads again what changed. A cache of another format or parser, or a damaged one, counts
// as none. Files are told by path, size and time; a time that was young when the file
// was read, or when the cache was written, proves nothing (see racy). Working trees of
// one repository share the file, which has the times of one of them: in the others a
// file is read, and not parsed where it has the text that is kept.

const (
	// cacheVersion identifies the format, and the results of parsing, of resolving relations and of the rules for
	// credentials: a cache of another version must not be read.
	cacheVersion = "tree 5 " + secrets.Revision + " " + parserVersion

	// parserVersion is a hash of what parsing and resolving samples gives. A test tells the new one if it differs.
	parserVersion = "4872cc0c4f9cb55f"

	// worthCaching is the least number of files for which a cache is written: fewer are parsed in some 15 ms,
	// which people do not notice (a fortieth of BenchmarkOpenCold).
	worthCaching = 256

	// worthRewriting is the share of cached files that must have changed before the file is written again:
	// reading a sixteenth again takes a few milliseconds.
	worthRewriting = 16

	// maxCache bounds the file, in bytes.
	maxCache = 1 << 30
)

// cache keeps a tree from one process to the next. Any number of processes may share its file, since it is
// only replaced as a whole. It only saves time: if anything fails, the tree is read without it.
type cache struct {
	file    cachefile.File
	root    string           // of the tree
	own     bool             // the file's times are those of this working tree
	base    *tree.Snapshot   // the file's content, until it was compared with the folder; nil for none
	kept    map[string]stamp // the file's content, for save to compare
	written time.Time
	loading sync.WaitGroup
	writing sync.WaitGroup
}

// newCache returns the cache in the folder dir for the tree at root and all trees with the same shared name;
// projects may share the folder.
func newCache(dir, shared, root string) *cache {
	return &cache{file: cachefile.Of(dir, "tree", cmp.Or(shared, root)), root: root}
}

// load reads the file. After a panic the cache is empty.
func (c *cache) load() {
	_ = panics.Try(func() error {
		blocks, err := c.file.Read(cacheVersion, maxCache)
		if err != nil {
			return err
		}
		index, base := decodeCache(blocks)
		if base == nil {
			return nil
		}
		c.base, c.written, c.own = base, time.Unix(0, index.written), index.root == c.root
		c.kept = make(map[string]stamp, len(index.files))
		for _, f := range index.files {
			if c.own {
				c.kept[f.path] = stamp{f.size, time.Unix(0, f.mod), time.Unix(0, f.read)}
			}
		}
		return nil
	})
}

// take returns the cached snapshot, once, and records the stamps of files that need not be read again.
func (c *cache) take(seen map[string]look) *tree.Snapshot {
	base := c.base
	c.base = nil
	for p, st := range c.kept {
		if base != nil && !st.mod.Add(racy).After(c.written) {
			seen[p] = look{stamp: st}
		}
	}
	return base
}

// save writes the file in the background if much has changed since it was last written.
func (c *cache) save(s *tree.Snapshot, seen map[string]look, now time.Time) {
	c.writing.Wait()
	if s.Len() < worthCaching {
		return
	}
	stale := 0
	stamps := make(map[string]stamp, s.Len())
	for _, e := range s.Entries() {
		st := seen[e.Path].stamp
		if st.doubtful() || st.size != int64(len(e.Text)) {
			continue
		}
		stamps[e.Path] = st
		if old, ok := c.kept[e.Path]; !ok || old.size != st.size || !old.mod.Equal(st.mod) {
			stale++
		}
	}
	if stale <= len(c.kept)/worthRewriting || stale == 0 {
		return
	}
	c.kept, c.own = stamps, true
	c.writing.Go(func() { c.write(encodeCache(s, c.root, stamps, now)...) })
}

// write replaces the file. Without a folder that can be written there is no cache,
// and the next process tries again.
func (c *cache) write(blocks ...cachefile.Block) {
	_ = c.file.Write(cacheVersion, blocks...)
}

// cacheIndex has the time of a cache, its tree, and its files; times are Unix nanoseconds.
type cacheIndex struct {
	written int64
	root    string
	files   []indexed
}

type indexed struct {
	path            string
	size, mod, read int64
	length          int // of the file's part of the other block
}

func (x *cacheIndex) describe(c *codec.Coder) {
	codec.Int(c, &x.written)
	c.Text(&x.root)
	codec.List(c, &x.files, func(f *indexed) {
		c.Text(&f.path)
		codec.Int(c, &f.size, &f.mod, &f.read)
		codec.Uint(c, &f.length)
	})
}

// encodeCache makes the blocks of a cache, without files that have no stamp. Texts stay separate pieces of
// their block: a single growing buffer would take several times its final size.
func encodeCache(s *tree.Snapshot, root string, stamps map[string]stamp, now time.Time) []cachefile.Block {
	left := map[string]*format.Entry{}
	for _, e := range s.Entries() {
		if _, ok := stamps[e.Path]; !ok {
			left[e.Path] = nil
		}
	}
	s = s.Update(left)
	index := cacheIndex{written: now.UnixNano(), root: root}
	var texts cachefile.Block
	for _, e := range s.Entries() {
		st, text := stamps[e.Path], format.AppendEntry(nil, e)
		texts = append(texts, text)
		index.files = append(index.files, indexed{e.Path, st.size, st.mod.UnixNano(), st.read.UnixNano(), len(text)})
	}
	return []cachefile.Block{{codec.Append(nil, index.describe)}, texts, {tree.AppendRelations(nil, s)}}
}

// decodeCache reads a cache's index and its snapshot; nil if they are not as described.
func decodeCache(blocks [][]byte) (index cacheIndex, base *tree.Snapshot) {
	if len(blocks) != 3 || codec.Share(blocks[0], index.describe) != nil {
		return cacheIndex{}, nil
	}
	texts, rest := make([][]byte, len(index.files)), blocks[1]
	for i, f := range index.files {
		if f.length > len(rest) || i > 0 && index.files[i-1].path >= f.path {
			return cacheIndex{}, nil
		}
		texts[i], rest = rest[:f.length], rest[f.length:]
	}
	entries := make([]*format.Entry, len(texts))
	tree.Each(len(texts), worthCaching, func(i int) {
		if e, ok := format.DecodeEntry(index.files[i].path, texts[i]); ok && int64(len(e.Text)) == index.files[i].size {
			entries[i] = e
		}
	})
	if slices.Contains(entries, nil) {
		return cacheIndex{}, nil
	}
	base, _ = tree.Restore(entries, blocks[2])
	return index, base
}
