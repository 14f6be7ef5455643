package syntax

import (
	"encoding/binary"
	"math"
)

// decoder reads one section at a time. After the first error every read gives
// zero, and what is left is nothing, so that all loops end.
type decoder struct {
	b       []byte   // what is left of the input
	text    string   // what is left of the section's text
	strings []string // every string taken from a text and named again
	err     error
}

// The fewest bytes that one element of each list takes: a claimed count that the
// rest of the input cannot hold is refused before anything is allocated.
const (
	minSymbol    = 11 // flags, three strings, two spans, two texts, a line
	minReference = 5
	minImport    = 7
	minSpan      = 2
	minString    = 1
)

func (d *decoder) byte() byte {
	if len(d.b) == 0 {
		d.fail("cut short")
		return 0
	}
	c := d.b[0]
	d.b = d.b[1:]
	return c
}

func (d *decoder) uint() uint64 {
	n, size := binary.Uvarint(d.b)
	if size <= 0 {
		d.fail("no number")
		return 0
	}
	d.b = d.b[size:]
	return n
}

func (d *decoder) int() int {
	n, size := binary.Varint(d.b)
	if size <= 0 || n > math.MaxInt || n < math.MinInt {
		d.fail("no number")
		return 0
	}
	d.b = d.b[size:]
	return int(n)
}

// count reads the length of a list whose elements take at least size bytes each.
func (d *decoder) count(size int) int {
	n := d.uint()
	if n > uint64(len(d.b)/size) {
		d.fail("a list of %d in %d bytes", n, len(d.b))
		return 0
	}
	return int(n)
}

// section starts the next section.
func (d *decoder) section() {
	n := d.uint()
	if n > uint64(len(d.b)) {
		d.fail("a text of %d in %d bytes", n, len(d.b))
		return
	}
	d.text = string(d.b[:n])
	d.b = d.b[n:]
}

func (d *decoder) string() string {
	n := d.uint()
	if n > uint64(len(d.strings)) {
		d.fail("string %d of %d", n, len(d.strings))
		return ""
	}
	if n > 0 {
		return d.strings[n-1]
	}
	s := d.once()
	d.strings = append(d.strings, s)
	return s
}

// once takes a string from the text.
func (d *decoder) once() string {
	n := d.uint()
	if n > uint64(len(d.text)) {
		d.fail("a string of %d in %d bytes", n, len(d.text))
		return ""
	}
	s := d.text[:n]
	d.text = d.text[n:]
	return s
}

func (d *decoder) span(from, length int) Span {
	start := from + d.int()
	return Span{start, start + length + d.int()}
}

func (d *decoder) symbols() []Symbol {
	if format := d.byte(); format != codecFormat {
		d.fail("format %d", format)
	}
	d.section()
	n := d.count(minSymbol)
	if n == 0 {
		return nil
	}
	d.strings = make([]string, 0, n+8)
	list := make([]Symbol, n)
	at, line := 0, 0
	for i := range list {
		s := &list[i]
		d.symbol(s, at)
		s.Line += line
		at, line = s.Range.Start, s.Line
	}
	return list
}

// symbol reads one symbol; its line is still relative.
func (d *decoder) symbol(s *Symbol, at int) {
	flags := d.byte()
	s.Exported = flags&flagExported != 0
	s.Name, s.Kind, s.Container = d.string(), Kind(d.string()), d.string()
	s.Range = d.span(at, 0)
	s.NameAt = d.span(s.Range.Start, len(s.Name))
	if flags&flagBody != 0 {
		s.Body = d.spanBefore(s.Range.End)
	}
	if flags&flagDoc != 0 {
		s.DocAt = d.spanBefore(s.Range.Start)
	}
	s.Signature, s.Doc, s.Line = d.once(), d.once(), d.int()
}

// spanBefore reads a span that is expected to end at end.
func (d *decoder) spanBefore(end int) Span {
	end -= d.int()
	return Span{end - d.int(), end}
}

func (d *decoder) references() []Reference {
	n := d.count(minReference)
	if n == 0 {
		return nil
	}
	list := make([]Reference, n)
	at := 0
	for i := range list {
		r := &list[i]
		r.Name, r.Qualifier, r.Kind = d.string(), d.string(), ReferenceKind(d.string())
		r.At = d.span(at, len(r.Name))
		at = r.At.End
	}
	return list
}

func (d *decoder) imports() []Import {
	n := d.count(minImport)
	if n == 0 {
		return nil
	}
	list := make([]Import, n)
	at := 0
	for i := range list {
		m := &list[i]
		m.Spec, m.Alias, m.Kind = d.string(), d.string(), ImportKind(d.string())
		m.At = d.span(at, 0)
		at = m.At.Start
		m.Names, m.As = d.names(), d.names()
	}
	return list
}

func (d *decoder) names() []string {
	n := d.count(minString)
	if n == 0 {
		return nil
	}
	list := make([]string, n)
	for i := range list {
		list[i] = d.string()
	}
	return list
}

func (d *decoder) spans() []Span {
	n := d.count(minSpan)
	if n == 0 {
		return nil
	}
	list := make([]Span, n)
	at := 0
	for i := range list {
		list[i] = d.span(at, 0)
		at = list[i].End
	}
	return list
}
