package retrieval

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/internal/cachefile"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// A base is saved as one file of package cachefile. Its blocks are the documents, the
// titles, the numbers of documents in each segment (u32, little endian), and the
// segments. The documents are, in order of path,
//
//	path | content hash | lengths of the fields | number of title terms
//
// and the titles their title terms, one after the other; strings are preceded by
// their length, numbers and lengths are uvarints.
const (
	savedFormat = 2
	savedTables = 3 // blocks in front of the segments
)

// maxSaved bounds the file that is read, in bytes.
const maxSaved = 1 << 30

// minSavedText is the size of the texts from which a base is saved, in bytes. Below,
// indexing takes less than 80 ms (own measurement: 13 MB a processor second).
const minSavedText = 1 << 20

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
tags: [K8s, XMFloat2, café]
files: [src/auth/jwtKeys.ts]
---

# The Über-Server isn't ` + "`useSession`" + `; v1.23 of 12.3, C:\dir, don’t IDs

ＦＵＬＬ width, naïve ﬁle ภาษาไทย カタカナ 한국어 relational generalizations happily
one two two can will the of and 0xdeadbeef ` + "`a.b.c`" + `
## Raw Concept
x_y-z 9to5 ÆØÅ ß
`

// savedFile is where the base of the project at root is saved, in a folder that
// projects share.
func savedFile(folder, root string) cachefile.File { return cachefile.Of(folder, "search", root) }

// save writes a base with its docs.
func (b *base) save(to cachefile.File, docs []*doc) error {
	table, titles := tableOf(docs)
	var counts []byte
	blocks := []cachefile.Block{{table}, {titles}, nil}
	for i, p := range b.parts {
		end := b.size
		if i+1 < len(b.parts) {
			end = int(b.parts[i+1].first)
		}
		counts = binary.LittleEndian.AppendUint32(counts, uint32(end)-p.first)
		blocks = append(blocks, cachefile.Block{p.bytes})
	}
	blocks[savedTables-1] = cachefile.Block{counts}
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

// tableOf is docs as the first two blocks.
func tableOf(all []*doc) (docs, titles []byte) {
	text := func(to []byte, s string) []byte {
		return append(binary.AppendUvarint(to, uint64(len(s))), s...)
	}
	for _, d := range all {
		docs = text(text(docs, d.entry.Path), d.entry.Hash)
		for _, n := range d.len {
			docs = binary.AppendUvarint(docs, uint64(n))
		}
		docs = binary.AppendUvarint(docs, uint64(len(d.titles)))
		for _, t := range d.titles {
			titles = text(titles, t)
		}
	}
	return docs, titles
}

// parseBase makes the base that was saved as blocks, which it keeps.
func parseBase(blocks [][]byte, entries []*format.Entry) (*base, []*doc, error) {
	if len(blocks) < savedTables || len(blocks[savedTables-1]) != 4*(len(blocks)-savedTables) {
		return nil, nil, errSaved
	}
	counts := blocks[savedTables-1]
	b := &base{lists: newLists()}
	for _, block := range blocks[savedTables:] {
		n := int(binary.LittleEndian.Uint32(counts))
		counts = counts[4:]
		s, err := openSegment(block, n)
		if err != nil {
			return nil, nil, err
		}
		b.parts = append(b.parts, basePart{s, block, uint32(b.size)})
		b.size += n
	}
	docs, err := parseTable(blocks[0], blocks[1], b.size, entries)
	return b, docs, err
}

// parseTable makes the docs of those entries that are still what was indexed.
func parseTable(docs, titles []byte, documents int, entries []*format.Entry) ([]*doc, error) {
	if documents > len(docs) { // a document takes more than a byte
		return nil, errSaved
	}
	in := cachefile.Reader{Rest: docs}
	terms := cachefile.Reader{Rest: titles}
	all := string(titles) // one string, of which the docs' terms are parts
	out := make([]*doc, documents)
	last := ""
	for n := range out {
		path, hash := in.Bytes(), in.Bytes()
		var length lengths
		for f := range length {
			length[f] = int32(in.Number())
		}
		words := in.Number()
		if in.Failed || n > 0 && string(path) <= last || words > uint64(len(terms.Rest)) {
			return nil, errSaved
		}
		last = string(path)
		for len(entries) > 0 && entries[0].Path < last {
			entries = entries[1:]
		}
		var d *doc
		if len(entries) > 0 && entries[0].Path == last && entries[0].Hash == string(hash) && entries[0].Role.Searchable() {
			d = docOf(entries[0])
			d.len = length
			d.titles = make([]string, 0, words)
		}
		for range words {
			t := terms.Bytes()
			end := len(all) - len(terms.Rest)
			if d != nil && !terms.Failed {
				d.titles = append(d.titles, all[end-len(t):end])
			}
		}
		out[n] = d
	}
	if len(in.Rest) > 0 || len(terms.Rest) > 0 || terms.Failed {
		return nil, errSaved
	}
	return out, nil
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
