package codebase

import (
	"encoding/binary"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
	"github.com/brv-lsp/brv-lsp/internal/codec"
)

// term is a hashed word of a text; see [terms.Term].
type term = terms.Term

// vector holds a file's text as counts of terms, in one run of bytes. It has the same form on disk and in memory,
// where it is searched. A map of 20,000 files has some five million terms, and a slice for each part of each file
// would double their size.
//
//	terms     n × uint32, sorted, distinct: the part that ranking scans
//	counts    n × uint8, how often each occurs, up to 255
//	marks     a uint32 for every eighth term: where its segment counts begin
//	segments  per segment: symbol+1 and length, as varints
//	stream    per term: number of pairs, then (segment distance, count), as varints
//
// A segment is a part that can be relevant by itself: a function, method or type with its comment, without the
// parts that belong to nested segments. Segment 0 is the rest. In a file without symbols, the segments are blocks
// of lines.
type vector struct {
	n        int // distinct terms
	length   int // terms in the file
	terms    []byte
	counts   []byte
	marks    []byte
	segments []segment
	stream   []byte

	defs field // terms of the names it defines
}

// segment is a part of a file that is ranked on its own.
type segment struct {
	symbol int32 // index of the symbol or block; -1 for the rest
	length int32 // number of terms
}

// markEvery is the number of terms between two marks.
const markEvery = 8

// maxSegments bounds the segments of a file; only generated files have more.
const maxSegments = 1<<16 - 1

// field is a short text as sorted terms, with their counts.
type field struct {
	terms  []term
	counts []uint16
	length int
}

func (f *field) count(t term) int {
	if i, ok := slices.BinarySearch(f.terms, t); ok {
		return int(f.counts[i])
	}
	return 0
}

func newField(all []term) field {
	f := field{length: len(all)}
	slices.Sort(all)
	for i, t := range all {
		if i == 0 || t != all[i-1] {
			f.terms = append(f.terms, t)
			f.counts = append(f.counts, 0)
		}
		if last := &f.counts[len(f.counts)-1]; *last < 1<<16-1 {
			*last++
		}
	}
	f.terms, f.counts = slices.Clip(f.terms), slices.Clip(f.counts)
	return f
}

func pathField(p string) field {
	var all []term
	add := func(t term, _ int) { all = append(all, t) }
	terms.Scan(p, add)
	terms.Scan(stemOf(p[len(dirOf(p)):]), add) // the stem counts twice
	return newField(all)
}

func defsField(symbols []syntax.Symbol) field {
	var all []term
	for i := range symbols {
		terms.Scan(symbols[i].Name, func(t term, _ int) { all = append(all, t) })
	}
	return newField(all)
}

// at returns the i-th term.
func (v *vector) at(i int) term { return binary.LittleEndian.Uint32(v.terms[4*i:]) }

// frequency returns how often the i-th term occurs, up to 255.
func (v *vector) frequency(i int) int { return int(v.counts[i]) }

// bySegment calls emit with the counts of the i-th term in each segment.
func (v *vector) bySegment(i int, emit func(segment, n int)) {
	pos := int(binary.LittleEndian.Uint32(v.marks[4*(i/markEvery):]))
	for skip := i % markEvery; skip > 0; skip-- {
		pairs := v.varint(&pos)
		for range 2 * pairs {
			v.varint(&pos)
		}
	}
	s := 0
	for range v.varint(&pos) {
		s += v.varint(&pos)
		n := v.varint(&pos)
		if s < len(v.segments) {
			emit(s, n)
		}
	}
}

// varint reads a number from the stream. Behind the end, it returns zeros.
func (v *vector) varint(pos *int) int {
	x, n := binary.Uvarint(v.stream[min(*pos, len(v.stream)):])
	if n <= 0 || x > maxRecord {
		*pos = len(v.stream)
		return 0
	}
	*pos += n
	return int(x)
}

// cut is a position where a segment begins, or continues after a nested one.
type cut struct {
	start   int
	segment int
}

// symbolCuts makes the segments of a file with symbols.
func symbolCuts(symbols []syntax.Symbol) ([]cut, []segment) {
	segments := []segment{{symbol: -1}}
	cuts := []cut{{0, 0}}
	type open struct{ end, segment int }
	stack := []open{{1 << 62, 0}}
	pop := func(pos int) {
		for stack[len(stack)-1].end <= pos {
			end := stack[len(stack)-1].end
			stack = stack[:len(stack)-1]
			cuts = append(cuts, cut{end, stack[len(stack)-1].segment})
		}
	}
	for i, s := range symbols {
		if s.Kind == syntax.Constant || s.Kind == syntax.Variable || len(segments) >= maxSegments {
			continue
		}
		start := s.Range.Start
		if s.DocAt.Len() > 0 {
			start = min(start, s.DocAt.Start)
		}
		pop(start)
		segments = append(segments, segment{symbol: int32(i)})
		cuts = append(cuts, cut{start, len(segments) - 1})
		stack = append(stack, open{s.Range.End, len(segments) - 1})
	}
	pop(1<<62 - 1)
	return cuts, segments
}

// blockCuts makes the segments of a text without symbols.
func blockCuts(text string) ([]cut, []segment) {
	segments := []segment{{symbol: -1}}
	cuts := []cut{{0, 0}}
	for i, b := range blocks(text) {
		segments = append(segments, segment{symbol: int32(i)})
		cuts = append(cuts, cut{b.Start, i + 1})
	}
	return cuts, segments
}

// maxRecord bounds the numbers and lengths of a record.
const maxRecord = 1 << 28

// describe describes the vector to a coder. A decoded vector shares memory with the bytes.
func (v *vector) describe(c *codec.Coder) {
	codec.Uint(c, &v.n, &v.length, &v.defs.length)
	c.Check(max(v.n, v.length, v.defs.length) <= maxRecord)
	codec.List(c, &v.segments, func(s *segment) {
		codec.Int(c, &s.symbol)
		codec.Uint(c, &s.length)
	})
	codec.List(c, &v.defs.terms, func(t *term) { c.Fixed(t) })
	codec.List(c, &v.defs.counts, func(n *uint16) { codec.Uint(c, n) })
	c.Bytes(&v.terms, &v.counts, &v.marks, &v.stream)
	c.Check(len(v.defs.counts) == len(v.defs.terms) && len(v.terms) == 4*v.n && len(v.counts) == v.n &&
		len(v.marks) == 4*((v.n+markEvery-1)/markEvery))
}
