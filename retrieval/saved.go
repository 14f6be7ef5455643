package retrieval

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/internal/cachefile"
	"github.com/brv-lsp/brv-lsp/internal/codec"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// A base is saved as one file of package cachefile. Its blocks are the table, as savedTable describes it, and the
// segments.
const savedFormat = 3

// maxSaved bounds the file that is read, in bytes.
const maxSaved = 1 << 30

// minSavedText is the size of the texts from which a base is saved, in bytes. Below,
// indexing takes less than 5 ms (own measurement: 13 MB a processor second).
const minSavedText = 64 << 10

var errSaved = errors.New("not a saved search index")

// savedVersion tells indexes apart that were made by another format or another
// analysis. The latter is told by what it makes of a text that shows all it does.
var savedVersion = sync.OnceValue(func() string {
	h := new(strings.Builder)
	fmt.Fprintln(h, "search", savedFormat, tallyBits, numFields)
	d, terms := newDoc(format.Parse("auth/jwt-keys/token_refresh.md", analysisSample))
	fmt.Fprintln(h, d.len, d.titles)
	for _, t := range terms {
		fmt.Fprintln(h, t.term, t.tally)
	}
	return h.String()
})

const analysisSample = `---
title: What the HTTPServer's derivable-traits are
summary: How retryBudget and refresh_tokens rotate, running quickly.
keywords: [read/write, net::http, 令牌轮换]
questions: [How is it kept?]
tags: [K8s, XMFloat2, café]
files: [src/auth/jwtKeys.ts]
---

# The Über-Server isn't ` + "`useSession`" + `; v1.23 of 12.3, C:\dir, don’t IDs

ＦＵＬＬ width, naïve ﬁle ภาษาไทย カタカナ 한국어 relational generalizations happily
one two two can will the of and 0xdeadbeef ` + "`a.b.c`" + `
## Raw Concept
x_y-z 9to5 ÆØÅ ß l'accès d’API 🚀 ⚠️
`

// savedFile is where the base of the project at root is saved, in a folder that
// projects share.
func savedFile(folder, root string) cachefile.File { return cachefile.Of(folder, "search", root) }

// save writes a base with its docs.
func (b *base) save(to cachefile.File, docs []*doc) error {
	table := savedTable{docs: docs}
	blocks := []cachefile.Block{nil}
	for i, p := range b.parts {
		end := b.size
		if i+1 < len(b.parts) {
			end = int(b.parts[i+1].first)
		}
		table.counts = append(table.counts, uint32(end)-p.first)
		blocks = append(blocks, cachefile.Block{p.bytes})
	}
	blocks[0] = cachefile.Block{codec.Append(nil, table.describe)}
	return to.Write(savedVersion(), blocks...)
}

// savedBase returns the saved base for entries sorted by path. Documents whose entry
// is not there, or is another one by now, are nil.
func savedBase(in cachefile.File, entries []*format.Entry) (*base, []*doc, error) {
	blocks, err := in.Read(savedVersion(), maxSaved)
	if err != nil {
		return nil, nil, err
	}
	return parseBase(blocks, entries)
}

// savedTable lists the entries of the segments, and is saved beside them.
type savedTable struct {
	counts  []uint32        // documents of each segment
	docs    []*doc          // in order of path
	entries []*format.Entry // likewise; docs that are read are nil unless theirs is there and as it was
}

func (t *savedTable) describe(c *codec.Coder) {
	codec.List(c, &t.counts, func(n *uint32) { codec.Uint(c, n) })
	entries, last := t.entries, ""
	codec.List(c, &t.docs, func(d **doc) {
		var path, hash []byte
		var saved doc
		if !c.Reading {
			path, hash = []byte((*d).entry.Path), []byte((*d).entry.Hash)
			saved.len, saved.titles = (*d).len, (*d).titles
		}
		c.Bytes(&path, &hash)
		for f := range saved.len {
			codec.Uint(c, &saved.len[f])
		}
		codec.List(c, &saved.titles, func(term *string) { c.Text(term) })
		if !c.Reading {
			return
		}
		c.Check(last == "" || last < string(path))
		last = string(path)
		for len(entries) > 0 && entries[0].Path < last {
			entries = entries[1:]
		}
		if len(entries) > 0 && entries[0].Path == last && entries[0].Hash == string(hash) && format.Searchable(entries[0]) {
			*d = docOf(entries[0])
			(*d).len, (*d).titles = saved.len, saved.titles
		}
	})
}

// parseBase makes the base that was saved as blocks, which it keeps.
func parseBase(blocks [][]byte, entries []*format.Entry) (*base, []*doc, error) {
	if len(blocks) == 0 {
		return nil, nil, errSaved
	}
	table := savedTable{entries: entries}
	if err := codec.Decode(blocks[0], table.describe); err != nil {
		return nil, nil, err
	}
	if len(table.counts) != len(blocks)-1 {
		return nil, nil, errSaved
	}
	b := &base{lists: newLists()}
	for i, block := range blocks[1:] {
		n := int(table.counts[i])
		s, err := openSegment(block, n)
		if err != nil {
			return nil, nil, err
		}
		b.parts = append(b.parts, basePart{s, block, uint32(b.size)})
		b.size += n
	}
	if b.size != len(table.docs) {
		return nil, nil, errSaved
	}
	return b, table.docs, nil
}

// textSize is the size of the texts of entries, in bytes.
func textSize(entries []*format.Entry) int {
	n := 0
	for _, e := range entries {
		n += sizeOf(e)
	}
	return n
}

// sizeOf is the size of what is read of an entry: a section of a document is a part of its text.
func sizeOf(e *format.Entry) int { return e.Body.End - e.Body.Start }
