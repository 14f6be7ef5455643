package store

import (
	"cmp"
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
// BenchmarkOpenWarm). The file is package cachefile's, of two blocks: the index, as
// cacheIndex describes it, and of each file what package format writes of its text,
// one after the other. A cache of another format or parser, or a damaged one, counts
// as none. Files are told by path, size and time; a time that was young when the file
// was read, or when the cache was written, proves nothing (see racy). Working trees of
// one repository share the file, which has the times of one of them: in the others a
// file is read, and not parsed where it has the text that is kept.

const (
	// cacheFormat counts the versions of what is described above.
	cacheFormat = "tree 4 "

	// worthCaching is from how many files there is a cache: fewer are parsed in
	// some 15 ms, which nobody notices (a fortieth of BenchmarkOpenCold).
	worthCaching = 256

	// worthRewriting is which part of the cached files must have changed for the
	// file to be written again: reading a sixteenth again takes a few milliseconds.
	worthRewriting = 16

	// maxCache bounds the file, in bytes.
	maxCache = 1 << 30
)

// cache keeps parsed files from one process to the next. Any number of processes
// may share its file, since it is only ever replaced as a whole. It is an
// accelerator: whatever fails, the tree is read without it.
type cache struct {
	file    cachefile.File
	root    string // of the tree
	own     bool   // the file has the times of this tree
	written time.Time
	records map[string]cached // what the file holds, while the store opens
	mu      sync.Mutex        // guards kept while the store opens
	kept    map[string]stamp  // what the file holds, for save to compare
	loading sync.WaitGroup
	writing sync.WaitGroup
}

// cached is one record, not yet decoded.
type cached struct {
	stamp
	body []byte // text and entry
}

// newCache returns the cache in the folder dir for the tree at root, and all others of what they share;
// projects may share the folder.
func newCache(dir, shared, root string) *cache {
	return &cache{file: cachefile.Of(dir, "tree", cmp.Or(shared, root)), root: root}
}

// load reads the file's records. A panic leaves none.
func (c *cache) load() { _ = panics.Try(c.read) }

func (c *cache) read() error {
	blocks, err := c.file.Read(cacheVersion(), maxCache)
	if err != nil {
		return err
	}
	var index cacheIndex
	index, c.records = decodeCache(blocks)
	c.written, c.own = time.Unix(0, index.written), index.root == c.root
	c.kept = make(map[string]stamp, len(c.records))
	for p, r := range c.records {
		if c.own {
			c.kept[p] = r.stamp
		}
	}
	return nil
}

// forget releases the records; they hold the whole file in memory.
func (c *cache) forget() { c.records = nil }

// entry returns the entry of a file that is as it was when it was cached, and when
// it was read.
func (c *cache) entry(f file) (e *format.Entry, read time.Time, ok bool) {
	r, ok := c.records[f.path]
	if !ok || !c.own || !r.same(f.stamp) || f.mod.Add(racy).After(c.written) {
		return nil, time.Time{}, false
	}
	e, ok = format.DecodeEntry(f.path, r.body)
	if !ok || int64(len(e.Text)) != r.size {
		return nil, time.Time{}, false
	}
	return e, r.read, true
}

// parsed returns the entry of a file whose times are not those that are kept, if its text is the one that is kept.
func (c *cache) parsed(f file, text string) (e *format.Entry, ok bool) {
	r, ok := c.records[f.path]
	if !ok || r.size != f.size {
		return nil, false
	}
	if e, ok = format.DecodeEntry(f.path, r.body); !ok || e.Text != text {
		return nil, false
	}
	if !c.own {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.kept[f.path] = f.stamp
	}
	return e, true
}

// save writes the file in the background if much changed since it was written.
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
	c.kept = stamps
	c.writing.Go(func() { c.write(encodeCache(s, c.root, stamps, now)...) })
}

// write replaces the file. Without a folder that can be written there is no cache,
// and the next process tries again.
func (c *cache) write(blocks ...cachefile.Block) {
	_ = c.file.Write(cacheVersion(), blocks...)
}

// cacheIndex says when a cache was written, of which tree, and of which files; times are Unix nanoseconds.
type cacheIndex struct {
	written int64
	root    string
	files   []indexed
}

type indexed struct {
	path            string
	size, mod, read int64
	length          int // of what follows in the other block
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

// encodeCache makes the blocks of a cache. The texts are pieces of their block: one run of bytes that grows takes several
// times its last size.
func encodeCache(s *tree.Snapshot, root string, stamps map[string]stamp, now time.Time) []cachefile.Block {
	index := cacheIndex{written: now.UnixNano(), root: root}
	var texts cachefile.Block
	for _, e := range s.Entries() {
		if st, ok := stamps[e.Path]; ok {
			text := format.AppendEntry(nil, e)
			texts = append(texts, text)
			index.files = append(index.files, indexed{e.Path, st.size, st.mod.UnixNano(), st.read.UnixNano(), len(text)})
		}
	}
	return []cachefile.Block{{codec.Append(nil, index.describe)}, texts}
}

// decodeCache reads a cache's index and its records; none if they are not as described.
func decodeCache(blocks [][]byte) (index cacheIndex, records map[string]cached) {
	if len(blocks) != 2 || codec.Decode(blocks[0], index.describe) != nil {
		return cacheIndex{}, nil
	}
	records = make(map[string]cached, len(index.files))
	rest := blocks[1]
	for _, f := range index.files {
		if f.length > len(rest) {
			return cacheIndex{}, nil
		}
		records[f.path] = cached{stamp{f.size, time.Unix(0, f.mod), time.Unix(0, f.read)}, rest[:f.length]}
		rest = rest[f.length:]
	}
	return index, records
}

// cacheVersion tells caches apart by format, and by what the parser and the rules for credentials make of a
// text: a cache of others must not be read.
var cacheVersion = sync.OnceValue(func() string { return cacheFormat + secrets.Revision + string(format.ParserSample()) })
