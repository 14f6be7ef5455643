package codebase

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// A term is a word of a text, lower-cased and reduced to 32 bits. Identifiers
// give their parts (refreshToken, refresh_token: refresh, token) and, if they
// have several, the whole (refreshtoken), which measured 7 points of Acc@1 over
// whole identifiers alone. With 200,000 distinct words about five pairs share a
// number, which moves no ranking.
type term = uint32

const (
	hashOffset term = 2166136261 // FNV-1a
	hashPrime  term = 16777619
)

func hashByte(h term, b byte) term { return (h ^ term(b)) * hashPrime }

// hashName hashes a name as it is written.
func hashName(s string) term {
	h := hashOffset
	for i := range len(s) {
		h = hashByte(h, s[i])
	}
	return h
}

// class tells what a rune is inside an identifier.
type class uint8

const (
	other class = iota
	lower
	upper
	digit
	joint // '_' and '$': in an identifier, in no part of it
)

func classOf(r rune) class {
	switch {
	case 'a' <= r && r <= 'z':
		return lower
	case 'A' <= r && r <= 'Z':
		return upper
	case '0' <= r && r <= '9':
		return digit
	case r == '_' || r == '$':
		return joint
	case r < utf8.RuneSelf:
		return other
	case unicode.IsUpper(r):
		return upper
	case unicode.IsLetter(r):
		return lower
	case unicode.IsDigit(r):
		return digit
	}
	return other
}

// scanTerms calls emit with every term of text and the offset of its
// identifier. Parts of one byte are left out.
func scanTerms(text string, emit func(t term, off int)) {
	for i := 0; i < len(text); {
		r, size := decode(text, i)
		if classOf(r) == other {
			i += size
			continue
		}
		i = scanIdentifier(text, i, emit)
	}
}

func decode(s string, i int) (rune, int) {
	if s[i] < utf8.RuneSelf {
		return rune(s[i]), 1
	}
	return utf8.DecodeRuneInString(s[i:])
}

// part is a piece of an identifier while it is scanned.
type part struct {
	hash term
	size int
}

func (p *part) add(r rune) {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		p.hash = hashByte(p.hash, byte(r))
		p.size++
		return
	}
	var buf [utf8.UTFMax]byte
	for _, b := range buf[:utf8.EncodeRune(buf[:], unicode.ToLower(r))] {
		p.hash = hashByte(p.hash, b)
		p.size++
	}
}

// scanIdentifier emits the terms of the identifier at off and returns its end.
func scanIdentifier(text string, off int, emit func(t term, off int)) int {
	whole, cur := part{hash: hashOffset}, part{hash: hashOffset}
	parts := 0
	flush := func() {
		if cur.size > 0 {
			parts++
			if cur.size > 1 {
				emit(cur.hash, off)
			}
		}
		cur = part{hash: hashOffset}
	}
	last := joint
	i := off
	for i < len(text) {
		r, size := decode(text, i)
		c := classOf(r)
		if c == other {
			break
		}
		if c == joint || c == upper && (last != upper || lowerFollows(text, i+size)) {
			flush()
		}
		if c != joint {
			cur.add(r)
			whole.add(r)
		}
		last = c
		i += size
	}
	flush()
	if parts > 1 && whole.size > 1 {
		emit(whole.hash, off)
	}
	return i
}

// lowerFollows finds the last capital of a run that begins a word: HTTPServer.
func lowerFollows(text string, i int) bool {
	if i >= len(text) {
		return false
	}
	r, _ := decode(text, i)
	return classOf(r) == lower
}

// vector is a file's text as term counts, by segment: the functions and types of
// the file, and one segment for all the rest.
type vector struct {
	terms    []term   // sorted, distinct
	start    []uint32 // terms[i]'s counts are counts[start[i]:start[i+1]]
	counts   []count
	segments []segment
	length   int // terms in the file

	path field // terms of the path
	defs field // terms of the names it defines
}

// count is how often a term occurs in one segment.
type count struct {
	segment uint16
	n       uint16
}

// segment is a part of a file that can be relevant by itself.
type segment struct {
	symbol int // index into Chunk.Symbols; -1 for the rest
	length int
}

// field is a short text as sorted terms with their counts.
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

// of returns the counts of t by segment.
func (v *vector) of(t term) []count {
	i, ok := slices.BinarySearch(v.terms, t)
	if !ok {
		return nil
	}
	return v.counts[v.start[i]:v.start[i+1]]
}

func total(counts []count) int {
	n := 0
	for _, c := range counts {
		n += int(c.n)
	}
	return n
}

// maxSegments is what fits a count; a file with more is generated.
const maxSegments = 1<<16 - 1

// newVector counts the terms of a file.
func newVector(p, text string, symbols []syntax.Symbol) *vector {
	v := &vector{path: pathField(p), defs: defsField(symbols)}
	cuts := v.cut(symbols)
	// One number per occurrence, term first: sorting groups them.
	var all []uint64
	at := 0
	scanTerms(text, func(t term, off int) {
		for at+1 < len(cuts) && cuts[at+1].start <= off {
			at++
		}
		s := cuts[at].segment
		v.segments[s].length++
		all = append(all, uint64(t)<<32|uint64(s))
	})
	v.length = len(all)
	slices.Sort(all)
	v.group(all)
	return v
}

func (v *vector) group(all []uint64) {
	distinct, pairs := 0, 0
	for i := range all {
		if i == 0 || all[i] != all[i-1] {
			pairs++
			if i == 0 || all[i]>>32 != all[i-1]>>32 {
				distinct++
			}
		}
	}
	v.terms, v.start, v.counts = make([]term, 0, distinct), make([]uint32, 0, distinct+1), make([]count, 0, pairs)
	for i, x := range all {
		if i == 0 || x>>32 != all[i-1]>>32 {
			v.terms = append(v.terms, term(x>>32))
			v.start = append(v.start, uint32(len(v.counts)))
		}
		if i == 0 || x != all[i-1] {
			v.counts = append(v.counts, count{segment: uint16(x)})
		}
		if last := &v.counts[len(v.counts)-1]; last.n < 1<<16-1 {
			last.n++
		}
	}
	v.start = append(v.start, uint32(len(v.counts)))
}

// cut is where a segment begins, or goes on after a nested one.
type cut struct {
	start   int
	segment int
}

// cut makes the segments: each function, method and type with the text that no
// nested one claims, doc comment included. Segment 0 is the rest.
func (v *vector) cut(symbols []syntax.Symbol) []cut {
	v.segments = []segment{{symbol: -1}}
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
		if s.Kind == syntax.Constant || s.Kind == syntax.Variable || len(v.segments) >= maxSegments {
			continue
		}
		start := s.Range.Start
		if s.DocAt.Len() > 0 {
			start = min(start, s.DocAt.Start)
		}
		pop(start)
		v.segments = append(v.segments, segment{symbol: i})
		cuts = append(cuts, cut{start, len(v.segments) - 1})
		stack = append(stack, open{s.Range.End, len(v.segments) - 1})
	}
	pop(1<<62 - 1)
	return cuts
}

func pathField(p string) field {
	var all []term
	add := func(t term, _ int) { all = append(all, t) }
	scanTerms(p, add)
	scanTerms(stemOf(p[len(dirOf(p)):]), add) // the stem counts twice
	return newField(all)
}

func defsField(symbols []syntax.Symbol) field {
	var all []term
	for i := range symbols {
		scanTerms(symbols[i].Name, func(t term, _ int) { all = append(all, t) })
	}
	return newField(all)
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
	return f
}
