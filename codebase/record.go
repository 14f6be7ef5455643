package codebase

import (
	"path"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/brv-lsp/brv-lsp/codebase/discover"
	"github.com/brv-lsp/brv-lsp/codebase/edges"
	"github.com/brv-lsp/brv-lsp/codebase/imports"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
	"github.com/brv-lsp/brv-lsp/internal/codec"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
)

// record holds the data that depend only on a file's text: the result of its parse, and its words. It does not
// depend on the file's path, is kept in the user's cache by content, and is shared by all maps.
type record struct {
	hash     [32]byte // SHA-256 of the text
	size     int      // bytes
	tokens   int      // an estimate
	language syntax.Language
	origin   string // "generated", … if the text shows it
	partial  string
	lost     []syntax.Span
	slow     bool // partial because of a time limit
	module   string
	symbols  []byte // an encoded syntax.File with only symbols
	count    int    // number of symbols
	imports  []syntax.Import
	defines  []terms.Term // names of the top level; sorted, distinct
	names    []terms.Term // names of all symbols; sorted, distinct
	inline   []imports.Inline
	uses     []imports.Use // names that the file uses; sorted, distinct
	times    []byte        // how often each use occurs, up to 255
	marks    []Mark
	facts    []edges.Fact
	vector   vector
}

// wordsOf makes the record of a text without syntax.
func wordsOf(p string, text []byte, hash [32]byte) *record {
	s := string(text)
	cuts, segments := blockCuts(s)
	return &record{
		hash: hash, size: len(text), tokens: tokens.Estimate(strings.ToValidUTF8(s, " ")), language: syntax.LanguageFor(p, text),
		origin: discover.Origin("file"+path.Ext(p), text), partial: pendingSyntax,
		vector: newVector(s, cuts, segments, field{}),
	}
}

// newRecord makes the record of a text from its parse. words is the result of wordsOf for the same text and path,
// or nil. If given, its words are reused.
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
	r.facts = edges.Read(r.language, string(text), f)
	return r
}

// readNames extracts the names that imports and the graph need from symbols.
func (r *record) readNames(symbols []syntax.Symbol) {
	inside := 0 // end of the enclosing symbols so far
	for i := range symbols {
		s := &symbols[i]
		name := terms.Name(s.Name)
		r.names = append(r.names, name)
		// In Kotlin, a function that extends a type has the type as its container.
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

// usesOf counts the names that a file uses, by qualifier.
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

// recordVersion is raised when the content of a record changes.
const recordVersion = "6"

// encode encodes the record, into a slab if there is one.
func (r *record) encode(into *slab) []byte {
	return into.keep(func(b []byte) []byte { return codec.Append(b, r.describe) })
}

// slab stores the results of a scan in a few large buffers. Thousands of small allocations, mixed with short-lived
// ones, would make the heap a quarter larger than its content. A buffer lives as long as one of its parts. Changed
// files get memory of their own, so the waste is at most the memory of the first scan.
type slab struct {
	mu   sync.Mutex
	rest []byte // the unused rest
}

// slabSize is the size of a buffer, in bytes. Data that do not fit into the rest of a buffer get memory of their
// own.
const slabSize = 1 << 20

// keep stores the bytes that write appends to an empty slice.
func (s *slab) keep(write func([]byte) []byte) []byte {
	if s == nil {
		return write(nil)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.rest) < slabSize/8 {
		s.rest = make([]byte, slabSize)
	}
	out := write(s.rest[:0:len(s.rest)])
	if unsafe.SliceData(out) == unsafe.SliceData(s.rest) {
		s.rest = s.rest[len(out):]
	}
	return slices.Clip(out)
}

// describe describes the record to a coder. A decoded record shares memory with the bytes.
func (r *record) describe(c *codec.Coder) {
	c.Array(r.hash[:])
	codec.Uint(c, &r.size, &r.tokens, &r.count)
	c.Check(max(r.size, r.tokens, r.count) <= maxRecord)
	c.Text((*string)(&r.language), &r.origin)
	f := syntax.File{Imports: r.imports, Module: r.module, Partial: r.partial, Lost: r.lost, Slow: r.slow}
	if f.DescribeModule(c); c.Reading {
		r.imports, r.module, r.partial, r.lost, r.slow = f.Imports, f.Module, f.Partial, f.Lost, f.Slow
	}
	term := func(t *term) { c.Fixed(t) }
	codec.List(c, &r.defines, term)
	codec.List(c, &r.names, term)
	codec.List(c, &r.inline, func(m *imports.Inline) {
		c.Text(&m.Name)
		codec.Uint(c, &m.Body.Start, &m.Body.End)
	})
	codec.List(c, &r.uses, func(u *imports.Use) { c.Fixed(&u.Qualifier, &u.Name) })
	c.Bytes(&r.symbols, &r.times)
	c.Check(len(r.times) == len(r.uses))
	codec.List(c, &r.marks, func(m *Mark) {
		c.Text(&m.Target)
		codec.Uint(c, &m.At.Start)
		codec.Near(c, &m.At.End, m.At.Start+len(markSign)+len(m.Target))
	})
	codec.List(c, &r.facts, func(f *edges.Fact) {
		c.Text((*string)(&f.Kind), &f.Key)
		c.Flags(&f.Offers)
		codec.Uint(c, &f.At)
	})
	r.vector.describe(c)
}

// decodeRecord decodes the output of encode. The record shares memory with b.
func decodeRecord(b []byte) (*record, error) {
	r := &record{}
	if err := codec.Share(b, r.describe); err != nil {
		return nil, err
	}
	return r, nil
}
