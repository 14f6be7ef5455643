package syntax

import "github.com/brv-lsp/brv-lsp/internal/codec"

// Workers answer with the compact form of a File. The compact form of parts of it is kept on disk. Positions are
// distances from an earlier position, and the length of a name's span is its distance from the length of the name,
// so that most numbers take one byte.

// Append appends the compact form of f to b and returns the longer slice. decodeFile gives an equal File.
func (f *File) Append(b []byte) []byte { return codec.Append(b, f.describe) }

// decodeFile reads the output of [File.Append]. It keeps nothing of b. Damaged input gives [codec.ErrDamaged] or
// another File.
func decodeFile(b []byte) (File, error) {
	var f File
	if err := codec.Decode(b, f.describe); err != nil {
		return File{}, err
	}
	return f, nil
}

// AppendSymbols appends the compact form of a list of symbols to b.
func AppendSymbols(b []byte, list []Symbol) []byte {
	return codec.Append(b, func(c *codec.Coder) { describeSymbols(c, &list) })
}

// DecodeSymbols reads the output of [AppendSymbols], as decodeFile does. The texts share memory with the bytes,
// which must not change any more.
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

// DescribeModule describes the parts of a File about its source as a whole: the module, the imports, and what is
// missing.
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
		c.Text(&s.Signature, &s.Doc) // these rarely repeat
		codec.Near(c, &s.Line, line)
		at, line = s.Range.Start, s.Line
	})
}

// describeSpan describes a span that probably starts at a position and has a length.
func describeSpan(c *codec.Coder, s *Span, at, length int) {
	codec.Near(c, &s.Start, at)
	codec.Near(c, &s.End, s.Start+length)
}

// describeSpanBefore describes a span that probably ends at a position.
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
