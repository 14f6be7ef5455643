package retrieval

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/tree"
)

// A base is saved as one file, written aside and renamed when complete, and read
// as a whole before anything in it is believed:
//
//	magic     8 bytes
//	version   u64   of this format and of the analysis: see [savedVersion]
//	blocks    u32
//	 size     u64   of each block
//	 documents u32  in it (0 for the first two blocks)
//	 crc      u32   CRC-32C of the block
//	crc       u32   CRC-32C of all above
//	blocks          documents, titles, and one block for each segment
//
// all numbers little endian. The documents are, in order of path,
//
//	path | content hash | lengths of the fields | number of title terms
//
// and the titles their title terms, one after the other; strings are preceded by
// their length, numbers and lengths are uvarints.
//
// The file is read into memory, not mapped: whoever damages, truncates or deletes it
// afterwards does nobody any harm, no lock is needed, and several processes that save
// at once each put a complete file in place, of which the last stays.
const (
	savedMagic   = "brvindex"
	savedFormat  = 1
	savedPerPart = 8 + 4 + 4
	partialName  = "search-*.partial" // the file while it is written
)

// maxSaved bounds the file that is read, in bytes.
const maxSaved = 1 << 30

// minSavedText is the size of the texts from which a base is saved, in bytes. Below,
// indexing takes less than 80 ms (own measurement: 13 MB a processor second).
const minSavedText = 1 << 20

// partialAge is the age at which a partial file belongs to no process any more:
// writing takes less than a second.
const partialAge = 10 * time.Minute

var crcTable = crc32.MakeTable(crc32.Castagnoli)

var errSaved = errors.New("not a saved search index")

// savedVersion tells indexes apart that were made by another format or another
// analysis. The latter is told by what it makes of a text that shows all it does.
var savedVersion = sync.OnceValue(func() uint64 {
	h := fnv.New64a()
	fmt.Fprintln(h, savedFormat, tallyBits, numFields)
	d, terms := newDoc(tree.Parse("auth/jwt-keys/token_refresh.md", analysisSample))
	fmt.Fprintln(h, d.len, d.titles)
	for _, t := range terms {
		fmt.Fprintln(h, t.term, t.tally)
	}
	return h.Sum64()
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

// savedFile is where a tree's base is saved; the zero value is nowhere.
type savedFile struct{ folder, name string }

// savedFileOf is the file for the project at root in a folder that projects share.
func savedFileOf(folder, root string) savedFile {
	sum := sha256.Sum256([]byte(root))
	return savedFile{folder, "search-" + hex.EncodeToString(sum[:8]) + ".index"}
}

// write saves a base with its docs. It fails without a trace where it cannot.
func (s savedFile) write(b *base, docs []*doc, now time.Time) error {
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return err
	}
	removePartial(s.folder, now)
	f, err := os.CreateTemp(s.folder, partialName)
	if err != nil {
		return err
	}
	if err = errors.Join(b.writeTo(f, docs), f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(s.folder, s.name))
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// removePartial removes what processes left that were killed while writing.
func removePartial(folder string, now time.Time) {
	found, err := filepath.Glob(filepath.Join(folder, partialName))
	if err != nil {
		return
	}
	for _, name := range found {
		if info, err := os.Lstat(name); err == nil && now.Sub(info.ModTime()) > partialAge {
			os.Remove(name)
		}
	}
}

// read returns the saved base for entries sorted by path. Documents whose entry is
// not there, or is another one by now, are nil.
func (s savedFile) read(entries []*tree.Entry) (*base, []*doc, error) {
	root, err := jail.Open(s.folder)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	f, err := root.FS().Open(s.name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSaved {
		return nil, nil, errSaved
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, nil, err
	}
	return parseBase(data, entries)
}

// remove removes what turned out to be damaged.
func (s savedFile) remove() { os.Remove(filepath.Join(s.folder, s.name)) }

func (b *base) writeTo(w io.Writer, docs []*doc) error {
	table, titles := tableOf(docs)
	blocks, counts := [][]byte{table, titles}, []int{0, 0}
	for i, p := range b.parts {
		end := b.size
		if i+1 < len(b.parts) {
			end = int(b.parts[i+1].first)
		}
		blocks, counts = append(blocks, p.bytes), append(counts, end-int(p.first))
	}
	le := binary.LittleEndian
	head := le.AppendUint64([]byte(savedMagic), savedVersion())
	head = le.AppendUint32(head, uint32(len(blocks)))
	for i, block := range blocks {
		head = le.AppendUint64(head, uint64(len(block)))
		head = le.AppendUint32(head, uint32(counts[i]))
		head = le.AppendUint32(head, crc32.Checksum(block, crcTable))
	}
	head = le.AppendUint32(head, crc32.Checksum(head, crcTable))
	for _, block := range append([][]byte{head}, blocks...) {
		if _, err := w.Write(block); err != nil {
			return err
		}
	}
	return nil
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

// parseBase makes the base that was saved as data, which it keeps.
func parseBase(data []byte, entries []*tree.Entry) (*base, []*doc, error) {
	blocks, counts, err := parseBlocks(data)
	if err != nil {
		return nil, nil, err
	}
	b := &base{lists: newListCache()}
	for i := 2; i < len(blocks); i++ {
		s, err := openSegment(blocks[i], counts[i])
		if err != nil {
			return nil, nil, err
		}
		b.parts = append(b.parts, basePart{s, blocks[i], uint32(b.size)})
		b.size += counts[i]
	}
	docs, err := parseTable(blocks[0], blocks[1], b.size, entries)
	return b, docs, err
}

// parseBlocks returns the blocks with the number of documents in each. What it
// returns is what was written.
func parseBlocks(data []byte) (blocks [][]byte, counts []int, err error) {
	le := binary.LittleEndian
	const fixed = len(savedMagic) + 8 + 4
	if len(data) < fixed || !bytes.HasPrefix(data, []byte(savedMagic)) || le.Uint64(data[len(savedMagic):]) != savedVersion() {
		return nil, nil, errSaved
	}
	n := int(le.Uint32(data[fixed-4:]))
	size := fixed + n*savedPerPart
	if n < 2 || n > len(data)/savedPerPart || len(data) < size+4 || le.Uint32(data[size:]) != crc32.Checksum(data[:size], crcTable) {
		return nil, nil, errSaved
	}
	rest := data[size+4:]
	for i := range n {
		part := data[fixed+i*savedPerPart:]
		length := le.Uint64(part)
		if length > uint64(len(rest)) {
			return nil, nil, errSaved
		}
		block := rest[:length:length]
		if le.Uint32(part[12:]) != crc32.Checksum(block, crcTable) {
			return nil, nil, errSaved
		}
		rest = rest[length:]
		blocks, counts = append(blocks, block), append(counts, int(le.Uint32(part[8:])))
	}
	if len(rest) > 0 || counts[0] != 0 || counts[1] != 0 {
		return nil, nil, errSaved
	}
	return blocks, counts, nil
}

// parseTable makes the docs of those entries that are still what was indexed.
func parseTable(docs, titles []byte, documents int, entries []*tree.Entry) ([]*doc, error) {
	if documents > len(docs) { // a document takes more than a byte
		return nil, errSaved
	}
	in := savedReader{rest: docs}
	terms := savedReader{rest: titles}
	all := string(titles) // one string, of which the docs' terms are parts
	out := make([]*doc, documents)
	last := ""
	for n := range out {
		path, hash := in.bytes(), in.bytes()
		var length lengths
		for f := range length {
			length[f] = int32(in.number())
		}
		words := in.number()
		if in.failed || n > 0 && string(path) <= last || words > uint64(len(terms.rest)) {
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
			t := terms.bytes()
			end := len(all) - len(terms.rest)
			if d != nil && !terms.failed {
				d.titles = append(d.titles, all[end-len(t):end])
			}
		}
		out[n] = d
	}
	if len(in.rest) > 0 || len(terms.rest) > 0 || terms.failed {
		return nil, errSaved
	}
	return out, nil
}

// savedReader reads numbers and strings until there is an error.
type savedReader struct {
	rest   []byte
	failed bool
}

func (r *savedReader) number() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.rest, r.failed = nil, true
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *savedReader) bytes() []byte {
	n := r.number()
	if n > uint64(len(r.rest)) {
		r.rest, r.failed = nil, true
		return nil
	}
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return s
}

// textSize is the size of the texts of entries, in bytes.
func textSize(entries []*tree.Entry) int {
	n := 0
	for _, e := range entries {
		n += len(e.Text)
	}
	return n
}
