package codebase

import (
	"encoding/binary"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/codebase/discover"
	"github.com/brv-lsp/brv-lsp/codebase/imports"
	"github.com/brv-lsp/brv-lsp/codebase/records"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
)

// record holds the data that come from a file's text alone: the result of its parse and
// the words it holds. It does not depend on where the file stands, is kept in the
// user's cache by content, and is shared by all maps.
type record struct {
	hash     [32]byte // SHA-256 of the text
	size     int      // bytes
	tokens   int      // estimated
	language syntax.Language
	origin   string // "generated", … as far as the text tells
	partial  string
	lost     []syntax.Span
	slow     bool // partial because of a time limit
	module   string
	symbols  []byte // a syntax.File of symbols only, encoded
	count    int    // symbols
	imports  []syntax.Import
	defines  []terms.Term // names of the top level; sorted, distinct
	names    []terms.Term // names of all symbols, likewise
	inline   []imports.Inline
	uses     []imports.Use // names it mentions; sorted, distinct
	times    []byte        // how often each use occurs, up to 255
	marks    []Mark
	vector   vector
}

// wordsOf makes the record of a text without its syntax.
func wordsOf(p string, text []byte, hash [32]byte) *record {
	s := string(text)
	cuts, segments := blockCuts(s)
	return &record{
		hash: hash, size: len(text), tokens: tokens.Estimate(strings.ToValidUTF8(s, " ")), language: syntax.LanguageFor(p, text),
		origin: discover.Origin("file"+path.Ext(p), text), partial: pendingSyntax,
		vector: newVector(s, cuts, segments, field{}),
	}
}

// newRecord makes the record of a text from its parse. What is known of its words
// already is taken over: words is wordsOf the same text and path, or nil.
func newRecord(p string, text []byte, hash [32]byte, f *syntax.File, words *record) *record {
	r := &record{hash: hash, size: len(text), partial: f.Partial, lost: f.Lost, slow: f.Slow, module: f.Module, imports: f.Imports,
		count: len(f.Symbols)}
	if words == nil {
		words = &record{
			tokens: tokens.Estimate(strings.ToValidUTF8(string(text), " ")), language: syntax.LanguageFor(p, text),
			origin: discover.Origin("file"+path.Ext(p), text),
		}
	}
	r.tokens, r.language, r.origin = words.tokens, words.language, words.origin
	switch {
	case len(f.Symbols) > 0:
		r.symbols = syntax.AppendSymbols(nil, f.Symbols)
		cuts, segments := symbolCuts(f.Symbols)
		r.vector = newVector(string(text), cuts, segments, defsField(f.Symbols))
	case words.vector.segments != nil:
		r.vector = words.vector
	default:
		cuts, segments := blockCuts(string(text))
		r.vector = newVector(string(text), cuts, segments, field{})
	}
	r.readNames(f.Symbols)
	r.uses, r.times = usesOf(f.References)
	r.marks = marksOf(string(text), f)
	return r
}

// readNames keeps what imports and the graph need of symbols.
func (r *record) readNames(symbols []syntax.Symbol) {
	inside := 0 // where the symbols end that enclose others
	for i := range symbols {
		s := &symbols[i]
		name := terms.Name(s.Name)
		r.names = append(r.names, name)
		// A function that extends a type (Kotlin) has it as container.
		if s.Container == "" || s.Kind == syntax.Function && s.Range.Start >= inside {
			r.defines = append(r.defines, name)
		}
		if s.Kind != syntax.Module {
			inside = max(inside, s.Range.End)
		}
		if s.Kind == syntax.Module && s.Body.Len() > 0 {
			r.inline = append(r.inline, imports.Inline{Name: s.Name, Body: s.Body})
		}
	}
	r.names, r.defines = distinct(r.names), distinct(r.defines)
}

func distinct(all []terms.Term) []terms.Term {
	slices.Sort(all)
	return slices.Clip(slices.Compact(all))
}

// usesOf counts the names that a file mentions, by what stands before the dot.
func usesOf(references []syntax.Reference) ([]imports.Use, []byte) {
	all := make([]uint64, len(references))
	for i, ref := range references {
		all[i] = uint64(terms.Name(ref.Name))
		if ref.Qualifier != "" {
			all[i] |= uint64(terms.Name(ref.Qualifier)) << 32
		}
	}
	slices.Sort(all)
	var uses []imports.Use
	var times []byte
	for i, x := range all {
		if i == 0 || x != all[i-1] {
			uses = append(uses, imports.Use{Qualifier: terms.Term(x >> 32), Name: terms.Term(x)})
			times = append(times, 0)
		}
		if last := &times[len(times)-1]; *last < 255 {
			*last++
		}
	}
	return slices.Clip(uses), slices.Clip(times)
}

// recordVersion is raised when what a record holds changes.
const recordVersion = "3"

// encodings are buffers for encode: what it returns has no room to spare, since it is
// kept.
var encodings = sync.Pool{New: func() any { return new([]byte) }}

// encode encodes the record, into a slab if there is one.
func (r *record) encode(into *slab) []byte {
	buf := encodings.Get().(*[]byte)
	*buf = r.append((*buf)[:0])
	out := into.keep(*buf)
	if cap(*buf) <= records.MaxData {
		encodings.Put(buf)
	}
	return out
}

// slab keeps what a read of a whole tree gives in few large runs of bytes. Thousands of small
// ones, between those that live only while it is read, leave the heap a quarter larger
// than what is in it. A run lives as long as one of its parts, so that changed files, which go their own ways,
// waste at most what the first read took.
type slab struct {
	mu   sync.Mutex
	rest []byte // room that is left
}

// slabSize is the size of a run, in bytes; larger encodings have their own.
const slabSize = 1 << 20

// keep copies a text. A nil slab gives each its own memory.
func (s *slab) keep(b []byte) []byte {
	if s == nil || len(b) > slabSize/8 {
		return slices.Clone(b)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(b) > len(s.rest) {
		s.rest = make([]byte, slabSize)
	}
	out := s.rest[:len(b):len(b)]
	s.rest = s.rest[len(b):]
	copy(out, b)
	return out
}

// append adds the encoding of the record to b.
func (r *record) append(b []byte) []byte {
	b = append(b, r.hash[:]...)
	b = binary.AppendUvarint(b, uint64(r.size))
	b = binary.AppendUvarint(b, uint64(r.tokens))
	b = appendText(b, string(r.language))
	b = appendText(b, r.origin)
	rest := syntax.File{Imports: r.imports, Module: r.module, Partial: r.partial, Lost: r.lost, Slow: r.slow}
	b = appendText(b, string(rest.Append(nil)))
	b = binary.AppendUvarint(b, uint64(r.count))
	b = appendText(b, string(r.symbols))
	b = appendTerms(b, r.defines)
	b = appendTerms(b, r.names)
	b = binary.AppendUvarint(b, uint64(len(r.inline)))
	for _, m := range r.inline {
		b = appendText(b, m.Name)
		b = binary.AppendUvarint(b, uint64(m.Body.Start))
		b = binary.AppendUvarint(b, uint64(m.Body.End))
	}
	b = binary.AppendUvarint(b, uint64(len(r.uses)))
	for _, u := range r.uses {
		b = binary.LittleEndian.AppendUint32(b, u.Qualifier)
		b = binary.LittleEndian.AppendUint32(b, u.Name)
	}
	b = append(b, r.times...)
	b = appendMarks(b, r.marks)
	return r.vector.append(b)
}

// decodeRecord reads what append made. The record keeps parts of b.
func decodeRecord(b []byte) (*record, error) {
	in := &reader{b: b}
	r := &record{hash: [32]byte(in.bytes(32)), size: in.int(), tokens: in.int(), language: syntax.Language(in.text()), origin: in.text()}
	rest, err := syntax.DecodeFile(in.bytes(in.int()))
	if err != nil {
		return nil, err
	}
	r.imports, r.module, r.partial, r.lost, r.slow = rest.Imports, rest.Module, rest.Partial, rest.Lost, rest.Slow
	r.count = in.int()
	r.symbols = in.bytes(in.int())
	r.defines, r.names = in.terms(), in.terms()
	r.inline = make([]imports.Inline, in.atMost(in.int(), 3))
	for i := range r.inline {
		r.inline[i] = imports.Inline{Name: in.text(), Body: syntax.Span{Start: in.int(), End: in.int()}}
	}
	r.uses = make([]imports.Use, in.atMost(in.int(), 9))
	for i := range r.uses {
		b := in.bytes(8)
		r.uses[i] = imports.Use{Qualifier: binary.LittleEndian.Uint32(b), Name: binary.LittleEndian.Uint32(b[4:])}
	}
	r.times = in.bytes(len(r.uses))
	r.marks = in.marks()
	r.vector = readVector(in)
	if in.failed || len(in.b) > 0 {
		return nil, errRecord
	}
	return r, nil
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendTerms(b []byte, all []terms.Term) []byte {
	b = binary.AppendUvarint(b, uint64(len(all)))
	for _, t := range all {
		b = binary.LittleEndian.AppendUint32(b, t)
	}
	return b
}

// reader takes values off the front of a record. After the first that is not
// there it gives zeros.
type reader struct {
	b      []byte
	failed bool
}

func (r *reader) int() int {
	x, n := binary.Uvarint(r.b)
	if n <= 0 || x > maxRecord {
		r.failed, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return int(x)
}

// zeros stands for the bytes of a damaged record; no fixed part is longer.
var zeros [32]byte

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.failed, r.b = true, nil
		if n <= len(zeros) {
			return zeros[:max(n, 0)]
		}
		return nil
	}
	out := r.b[:n:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) text() string { return string(r.bytes(r.int())) }

// atMost checks a number of items against the bytes that are left, of which each
// takes at least size.
func (r *reader) atMost(n, size int) int {
	if n*size > len(r.b) {
		r.failed, r.b = true, nil
		return 0
	}
	return n
}

func (r *reader) terms() []terms.Term {
	out := make([]terms.Term, r.atMost(r.int(), 4))
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(r.bytes(4))
	}
	return out
}
