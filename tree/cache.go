package tree

import (
	"encoding/binary"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/cachefile"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/work"
)

// The cache is one file with the texts and what parsing them gave, so that
// opening a large tree need not read and parse each file: 10,000 entries of 2.4 KB
// open in 0.58 s without and in 0.15 s with it (two cores; BenchmarkOpenCold and
// BenchmarkOpenWarm). Its content:
//
//	varint    when it was written, Unix nanoseconds
//	records
//
// A record is a varint length, then: path, size, time of the file, when it was
// read (Unix nanoseconds), text, and the entry as codec describes it. The file is
// package cachefile's, of one block; a cache of another format or parser, or a
// damaged one, counts as none. Files are told by
// path, size and time; a time that was young when the file was read, or when the
// cache was written, proves nothing (see racy).

const (
	// cacheFormat counts the versions of what is described above.
	cacheFormat = "tree 1 "

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
	written time.Time
	records map[string]cached // what the file holds, while the store opens
	kept    map[string]stamp  // what the file holds, for save to compare
	loading sync.WaitGroup
	writing sync.WaitGroup
}

// cached is one record, not yet decoded.
type cached struct {
	stamp
	body []byte // text and entry
}

// newCache returns the cache in the folder dir for the project at root; projects
// may share the folder.
func newCache(dir, root string) *cache { return &cache{file: cachefile.Of(dir, "tree", root)} }

// load reads the file's records. A panic leaves none.
func (c *cache) load() { _ = work.Safely(c.read) }

func (c *cache) read() error {
	blocks, err := c.file.Read(cacheVersion(), maxCache)
	if err != nil || len(blocks) != 1 {
		return err
	}
	c.written, c.records = decodeCache(blocks[0])
	c.kept = make(map[string]stamp, len(c.records))
	for p, r := range c.records {
		c.kept[p] = r.stamp
	}
	return nil
}

// forget releases the records; they hold the whole file in memory.
func (c *cache) forget() { c.records = nil }

// entry returns the entry of a file that is as it was when it was cached, and when
// it was read.
func (c *cache) entry(f file) (e *Entry, read time.Time, ok bool) {
	r, ok := c.records[f.path]
	if !ok || !r.same(f.stamp) || f.mod.Add(racy).After(c.written) {
		return nil, time.Time{}, false
	}
	e = &Entry{Path: f.path, Role: RoleOf(f.path), tokens: new(atomic.Int64), said: new(atomic.Pointer[string])}
	d := codec{reading: true, buf: r.body}
	d.literal(&e.Text)
	d.text = e.Text
	if d.entry(e); d.bad || len(d.buf) > 0 || int64(len(e.Text)) != r.size {
		return nil, time.Time{}, false
	}
	return e, r.read, true
}

// save writes the file in the background if much changed since it was written.
func (c *cache) save(s *Snapshot, seen map[string]look, now time.Time) {
	c.writing.Wait()
	if s.Len() < worthCaching {
		return
	}
	stale := 0
	stamps := make(map[string]stamp, s.Len())
	for _, e := range s.list {
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
	c.writing.Go(func() { c.write(encodeCache(s, stamps, now)) })
}

// write replaces the file. Without a folder that can be written there is no cache,
// and the next process tries again.
func (c *cache) write(records cachefile.Block) {
	_ = c.file.Write(cacheVersion(), records)
}

func encodeCache(s *Snapshot, stamps map[string]stamp, now time.Time) cachefile.Block {
	pieces := cachefile.Block{binary.AppendVarint(nil, now.UnixNano())}
	var out []byte
	var c codec
	for _, e := range s.list {
		st, ok := stamps[e.Path]
		if !ok {
			continue
		}
		c.buf, c.text, c.bad = c.buf[:0], e.Text, false
		p, size, mod, read := e.Path, int(st.size), int(st.mod.UnixNano()), int(st.read.UnixNano())
		c.literal(&p)
		c.num(&size)
		c.num(&mod)
		c.num(&read)
		c.literal(&e.Text)
		if c.entry(e); c.bad {
			continue
		}
		if len(out)+len(c.buf)+binary.MaxVarintLen64 > cap(out) {
			pieces = append(pieces, out)
			out = make([]byte, 0, max(cachePiece, len(c.buf)+binary.MaxVarintLen64))
		}
		out = binary.AppendVarint(out, int64(len(c.buf)))
		out = append(out, c.buf...)
	}
	return append(pieces, out)
}

// cachePiece is the size of the pieces that a cache is encoded in, in bytes: one run of
// bytes that grows takes several times its last size.
const cachePiece = 1 << 20

// decodeCache reads when a cache was written, and its records; none if they are not
// as described.
func decodeCache(data []byte) (written time.Time, records map[string]cached) {
	c := codec{reading: true, buf: data}
	var at int
	c.num(&at)
	records = map[string]cached{}
	for len(c.buf) > 0 && !c.bad {
		var length, size, mod, read int
		if c.num(&length); c.bad || length < 0 || length > len(c.buf) {
			return time.Time{}, nil
		}
		r := codec{reading: true, buf: c.buf[:length]}
		c.buf = c.buf[length:]
		var p string
		r.literal(&p)
		r.num(&size)
		r.num(&mod)
		r.num(&read)
		records[p] = cached{stamp{int64(size), time.Unix(0, int64(mod)), time.Unix(0, int64(read))}, r.buf}
	}
	if c.bad {
		return time.Time{}, nil
	}
	return time.Unix(0, int64(at)), records
}

// cacheVersion tells caches apart by format and parser, and parsers by what they find
// in a text that has everything: a cache of another parser must not be read, and
// nobody remembers to count up a version.
var cacheVersion = sync.OnceValue(func() string {
	var c codec
	for _, p := range []string{"a/b/c.md", "a/b/context.md"} {
		for _, text := range []string{
			everything, strings.ReplaceAll(everything, "\n", "\r\n"), everything[:len(everything)/2], "# Title\n" + everything,
			"<<<<<<< a\n" + everything + "=======\n>>>>>>> b\n",
		} {
			e := Parse(p, text)
			c.text = text
			c.entry(e)
		}
	}
	return cacheFormat + secrets.Revision + string(c.buf)
})

// everything holds each construct that Parse knows.
const everything = `---
title: "A \"title\""
summary: 'It''s one'
tags: [a, "b", @c/d]
keywords:
  - k # why
related: [a/b, "@a/b/c.md#Head", 'x y', ../out]
sources:
  - d/e/f.md
  - words
consolidated_from: [{date: "2026-01-01", path: a/b/old.md, reason: "same"}]
importance: 62.5
recency: 2
maturity: Core
accessCount: 3
updateCount: x
createdAt: 2026-01-02T03:04:05+02:00
updatedAt: soon
unknown: {a: [1]}
title: again
---
# Heading #
Text @a/b/c.md#Part, (@x/y/z) a@b/c @A/B. [l](../x.md#h "t") [m](<a b.md>) [[name]] [[p/q|text]] ` + "`code` `` `x` ``" + `
## Reason
why
## Raw Concept
**Task:**
do
**Changes:**
- c
**Files:**
- src/a.go:12-30
- ` + "`src/b.go`" + ` - what it is
src/c.go, src/d.go (d)
**Flow:**
a -> b
**Timestamp:** 2026-01-01
**Patterns:**
- ` + "`^x$`" + ` (flags: i) - all
## Narrative
### Structure
s
### Dependencies
d
### Rules
1. r
### Examples
e
## Facts
- **subject**: statement = ` + "`value`" + ` [convention]
- no subject [odd]
* value: [v]
~~~go
@no/relation
~~~
    indented
## Relations
@a/b/c.md
[id]: ../x.md
`
