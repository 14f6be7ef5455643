package syntax

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
)

// The compact form of a File is what a worker answers and what may be kept on
// disk. It has two sections, first the symbols, then the rest, each made of
//
//	size of the text   uvarint
//	text               the bytes of every new string, one after the other
//	numbers            counts, strings and positions as varints
//
// A string is one number: 0 and its length take it from the text, n > 0 is the
// nth string that was taken so; signatures and comments, which hardly repeat, are
// only a length. A name that repeats is thus stored once, and all strings of a
// section are cut from one allocation. Positions are differences to
// a position before them, and the length of a name's span is its difference from
// the length of the name, so that most numbers are one byte.
//
// Every count and length is checked against what is left of the input before
// anything is allocated for it.

// codecFormat is the first byte of every encoded File.
const codecFormat = 3

// errDamaged is wrapped by every error of DecodeFile and DecodeSymbols.
var errDamaged = errors.New("syntax: damaged record")

// The flags of a symbol.
const (
	flagExported = 1 << iota
	flagBody
	flagDoc
)

// Append appends the compact form of f to b and returns the longer slice. The
// form does not depend on the machine; DecodeFile gives an equal File, with nil
// for empty lists. All positions must fit into an int64.
func (f *File) Append(b []byte) []byte {
	e := encoders.Get().(*encoder)
	defer e.release()
	e.symbols(f.Symbols)
	b = e.section(append(b, codecFormat))
	e.string(f.Module)
	e.string(f.Partial)
	e.spans(f.Lost)
	e.bool(f.Slow)
	e.references(f.References)
	e.imports(f.Imports)
	e.spans(f.Comments)
	return e.section(b)
}

// encoder collects one section at a time; its strings reach over both.
type encoder struct {
	text    []byte
	numbers []byte
	strings map[string]uint64 // from 1, in order of appearance
}

// encoders are used again: making the map costs more than filling it.
var encoders = sync.Pool{New: func() any { return &encoder{strings: map[string]uint64{}} }}

// keepStrings bounds the map that is kept, in strings: most files have some hundreds,
// and emptying it costs its size.
const keepStrings = 4096

// release keeps an encoder, which holds nothing of the File then.
func (e *encoder) release() {
	if len(e.strings) > keepStrings || cap(e.text)+cap(e.numbers) > keepBuffer {
		return
	}
	clear(e.strings)
	encoders.Put(e)
}

// section moves what was collected to b.
func (e *encoder) section(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(e.text)))
	b = append(append(b, e.text...), e.numbers...)
	e.text, e.numbers = e.text[:0], e.numbers[:0]
	return b
}

func (e *encoder) uint(n int)   { e.numbers = binary.AppendUvarint(e.numbers, uint64(n)) }
func (e *encoder) int(n int)    { e.numbers = binary.AppendVarint(e.numbers, int64(n)) }
func (e *encoder) bool(ok bool) { e.numbers = append(e.numbers, bit(ok, 1)) }

// bit returns mask if ok.
func bit(ok bool, mask byte) byte {
	if ok {
		return mask
	}
	return 0
}

func (e *encoder) string(s string) {
	if n := e.strings[s]; n > 0 {
		e.numbers = binary.AppendUvarint(e.numbers, n)
		return
	}
	e.strings[s] = uint64(len(e.strings) + 1)
	e.numbers = append(e.numbers, 0)
	e.once(s)
}

// once stores a string that hardly ever repeats: a signature, a comment.
func (e *encoder) once(s string) {
	e.uint(len(s))
	e.text = append(e.text, s...)
}

// span stores a span that is expected to start at from and to be length long.
func (e *encoder) span(s Span, from, length int) {
	e.int(s.Start - from)
	e.int(s.Len() - length)
}

func (e *encoder) symbols(list []Symbol) {
	e.uint(len(list))
	at, line := 0, 0
	for i := range list {
		s := &list[i]
		e.numbers = append(e.numbers, bit(s.Exported, flagExported)|
			bit(s.Body != Span{}, flagBody)|bit(s.DocAt != Span{}, flagDoc))
		e.string(s.Name)
		e.string(string(s.Kind))
		e.string(s.Container)
		e.span(s.Range, at, 0)
		e.span(s.NameAt, s.Range.Start, len(s.Name))
		if s.Body != (Span{}) {
			e.int(s.Range.End - s.Body.End)
			e.int(s.Body.Len())
		}
		if s.DocAt != (Span{}) {
			e.int(s.Range.Start - s.DocAt.End)
			e.int(s.DocAt.Len())
		}
		e.once(s.Signature)
		e.once(s.Doc)
		e.int(s.Line - line)
		at, line = s.Range.Start, s.Line
	}
}

func (e *encoder) references(list []Reference) {
	e.uint(len(list))
	at := 0
	for i := range list {
		r := &list[i]
		e.string(r.Name)
		e.string(r.Qualifier)
		e.string(string(r.Kind))
		e.span(r.At, at, len(r.Name))
		at = r.At.End
	}
}

func (e *encoder) imports(list []Import) {
	e.uint(len(list))
	at := 0
	for i := range list {
		m := &list[i]
		e.string(m.Spec)
		e.string(m.Alias)
		e.string(string(m.Kind))
		e.span(m.At, at, 0)
		e.names(m.Names)
		e.names(m.As)
		at = m.At.Start
	}
}

func (e *encoder) names(list []string) {
	e.uint(len(list))
	for _, name := range list {
		e.string(name)
	}
}

func (e *encoder) spans(list []Span) {
	e.uint(len(list))
	at := 0
	for _, s := range list {
		e.span(s, at, 0)
		at = s.End
	}
}

// DecodeFile reads what [File.Append] wrote. It keeps nothing of b. Input that is
// damaged in any way gives an error or another valid File, never a panic, and no
// more memory than a fixed multiple of its size.
func DecodeFile(b []byte) (File, error) {
	d, f := decoder{b: b}, File{}
	f.Symbols = d.symbols()
	d.section()
	f.Module, f.Partial, f.Lost, f.Slow = d.string(), d.string(), d.spans(), d.byte() != 0
	f.References = d.references()
	f.Imports = d.imports()
	f.Comments = d.spans()
	if len(d.b) > 0 {
		d.fail("%d bytes too many", len(d.b))
	}
	if d.err != nil {
		return File{}, d.err
	}
	return f, nil
}

// DecodeSymbols reads only the symbols of what [File.Append] wrote, which come
// first. What follows them is not looked at.
func DecodeSymbols(b []byte) ([]Symbol, error) {
	d := decoder{b: b}
	list := d.symbols()
	if d.err != nil {
		return nil, d.err
	}
	return list, nil
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: %s", errDamaged, fmt.Sprintf(format, args...))
	}
	d.b, d.text = nil, ""
}
