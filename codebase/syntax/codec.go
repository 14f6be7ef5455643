package syntax

import "github.com/brv-lsp/brv-lsp/internal/codec"

// The compact form of a File is what a worker answers; that of parts of it is kept on disk. Positions are distances
// from a position before them, and the length of a name's span is its distance from the length of the name, so that
// most numbers are one byte.

// Append appends the compact form of f to b and returns the longer slice. decodeFile gives an equal File.
func (f *File) Append(b []byte) []byte { return codec.Append(b, f.describe) }

// decodeFile reads what [File.Append] wrote. It keeps nothing of b. Input that is damaged gives [codec.ErrDamaged]
// or another File.
func decodeFile(b []byte) (File, error) {
	var f File
	if err := codec.Decode(b, f.describe); err != nil {
		return File{}, err
	}
	return f, nil
}

// AppendSymbols appends the compact form of symbols alone to b.
func AppendSymbols(b []byte, list []Symbol) []byte {
	return codec.Append(b, func(c *codec.Coder) { describeSymbols(c, &list) })
}

// DecodeSymbols reads what [AppendSymbols] wrote, as decodeFile does. The bytes must not change any more: the texts are parts of them.
func DecodeSymbols(b []byte) (list []Symbol, err error) {
	if err = codec.Share(b, func(c *codec.Coder) { describeSymbols(c, &list) }); err != nil {
		return nil, err
	}
	return list, nil
}

func (f *File) describe(c *codec.Coder) {
	describeSymbols(c, &f.Symbols)
	at := 0
	codec.List(c, &f.References, func(r *Reference) {
		c.Name(&r.Name, &r.Qualifier, (*string)(&r.Kind))
		describeSpan(c, &r.At, at, len(r.Name))
		at = r.At.End
	})
	describeSpans(c, &f.Comments)
	f.DescribeModule(c)
}

// DescribeModule describes what a File says of its source as a whole: its module, its imports, and what is missing.
func (f *File) DescribeModule(c *codec.Coder) {
	c.Text(&f.Module, &f.Partial)
	c.Flags(&f.Slow)
	describeSpans(c, &f.Lost)
	at := 0
	codec.List(c, &f.Imports, func(m *Import) {
		c.Name(&m.Spec, &m.Alias, (*string)(&m.Kind))
		describeSpan(c, &m.At, at, 0)
		at = m.At.Start
		name := func(s *string) { c.Name(s) }
		codec.List(c, &m.Names, name)
		codec.List(c, &m.As, name)
	})
}

func describeSymbols(c *codec.Coder, list *[]Symbol) {
	at, line := 0, 0
	codec.List(c, list, func(s *Symbol) {
		body, doc := s.Body != Span{}, s.DocAt != Span{}
		c.Flags(&s.Exported, &body, &doc)
		c.Name(&s.Name, (*string)(&s.Kind), &s.Container)
		describeSpan(c, &s.Range, at, 0)
		describeSpan(c, &s.NameAt, s.Range.Start, len(s.Name))
		if body {
			describeSpanBefore(c, &s.Body, s.Range.End)
		}
		if doc {
			describeSpanBefore(c, &s.DocAt, s.Range.Start)
		}
		c.Text(&s.Signature, &s.Doc) // which hardly repeat
		codec.Near(c, &s.Line, line)
		at, line = s.Range.Start, s.Line
	})
}

// describeSpan describes a span that likely starts at a place and has a length.
func describeSpan(c *codec.Coder, s *Span, at, length int) {
	codec.Near(c, &s.Start, at)
	codec.Near(c, &s.End, s.Start+length)
}

// describeSpanBefore describes a span that likely ends at a place.
func describeSpanBefore(c *codec.Coder, s *Span, end int) {
	codec.Near(c, &s.End, end)
	codec.Near(c, &s.Start, s.End)
}

func describeSpans(c *codec.Coder, list *[]Span) {
	at := 0
	codec.List(c, list, func(s *Span) {
		describeSpan(c, s, at, 0)
		at = s.End
	})
}
