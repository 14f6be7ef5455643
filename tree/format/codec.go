package format

import (
	"math"
	"strings"
	"sync/atomic"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/codec"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// coder encodes the result of Parse. It knows the text, so a string that is part of the text is encoded as a
// place, and any other as its bytes.
type coder struct {
	*codec.Coder
	text string
}

// entry encodes an Entry except its Path. The role follows from the path, unless the file is in conflict.
func (c coder) entry(e *Entry) {
	c.Text(&e.Text, &e.Hash)
	c.text = e.Text
	c.str(&e.Title)
	c.str(&e.Summary)
	for _, r := range WordLists {
		codec.List(c.Coder, r.Words(&e.Lists), c.str)
	}
	c.float(&e.Signals.Importance)
	c.float(&e.Signals.Recency)
	c.str((*string)(&e.Signals.Maturity))
	codec.Int(c.Coder, &e.Signals.AccessCount, &e.Signals.UpdateCount)
	c.moment(&e.CreatedAt)
	c.moment(&e.UpdatedAt)
	c.span(&e.Frontmatter)
	c.span(&e.Body)
	codec.List(c.Coder, &e.Fields, func(f *Field) {
		c.str(&f.Key)
		c.span(&f.KeyAt)
		c.span(&f.At)
		codec.List(c.Coder, &f.Items, func(s *Scalar) { c.str(&s.Value); c.span(&s.At) })
		c.Flags(&f.List)
	})
	codec.List(c.Coder, &e.Sections, func(s *markdown.Section) {
		c.str(&s.Title)
		codec.Int(c.Coder, &s.Level)
		c.span(&s.Heading)
		c.span(&s.At)
	})
	codec.List(c.Coder, &e.Facts, func(f *Fact) {
		c.str(&f.Subject)
		c.str(&f.Statement)
		c.str(&f.Value)
		c.str(&f.Category)
		c.span(&f.At)
	})
	codec.List(c.Coder, &e.Files, func(f *FileRef) { c.str(&f.Path); c.span(&f.At) })
	codec.List(c.Coder, &e.Code, c.span)
	codec.List(c.Coder, &e.Relations, func(r *Mention) {
		codec.Int(c.Coder, &r.Form)
		c.str(&r.Raw)
		c.str(&r.Heading)
		c.span(&r.At)
	})
	c.Flags(&e.Signals.Has, &e.veiled)
	codec.List(c.Coder, &e.Conflicts, func(o *Conflict) { c.span(&o.At); c.span(&o.Ours); c.span(&o.Theirs); c.Flags(&o.Certain) })
	if c.Reading {
		e.Role = roleWith(e.Conflicts, e.Path)
	}
	codec.List(c.Coder, &e.Problems, func(p *Problem) {
		c.Text(&p.Code, &p.Message)
		codec.Int(c.Coder, &p.Severity)
		c.span(&p.At)
	})
}

func (c coder) float(v *float64) {
	bits := math.Float64bits(*v)
	if codec.Uint(c.Coder, &bits); c.Reading {
		*v = math.Float64frombits(bits)
	}
}

func (c coder) span(s *markdown.Span) {
	start, length := s.Start, s.End-s.Start
	codec.Int(c.Coder, &start, &length)
	if c.Reading && c.holds(start, length) {
		*s = markdown.Span{Start: start, End: start + length}
	}
}

// holds checks that a place and a length lie within the text.
func (c coder) holds(start, length int) bool {
	ok := start >= 0 && length >= 0 && start <= len(c.text) && length <= len(c.text)-start
	c.Check(ok)
	return ok
}

// str encodes a string that is likely part of the text.
func (c coder) str(v *string) {
	at, length := -1, len(*v)
	if !c.Reading {
		at = strings.Index(c.text, *v)
	}
	if codec.Int(c.Coder, &at); at < 0 {
		c.Text(v)
		return
	}
	if codec.Int(c.Coder, &length); c.Reading && c.holds(at, length) {
		*v = c.text[at : at+length]
	}
}

// moment describes a time. One whose offset has no such form is damaged when it is read.
func (c coder) moment(t *time.Time) {
	var data []byte
	if !c.Reading {
		data, _ = t.MarshalBinary()
	}
	if c.Bytes(&data); c.Reading {
		c.Check(t.UnmarshalBinary(data) == nil)
	}
}

// AppendEntry appends the result of [Parse] and the text. [DecodeEntry] reads both.
func AppendEntry(to []byte, e *Entry) []byte {
	return codec.Append(to, func(c *codec.Coder) { coder{Coder: c}.entry(e) })
}

// DecodeEntry decodes the entry at a path from the output of [AppendEntry]; ok is false for any other data.
// The data must not be changed afterwards, since the entry's strings alias them.
func DecodeEntry(p string, data []byte) (e *Entry, ok bool) {
	e = &Entry{Path: p, Role: RoleOf(p), tokens: new(atomic.Int64), identity: new(atomic.Pointer[string])}
	err := codec.Share(data, func(c *codec.Coder) { coder{Coder: c}.entry(e) })
	return e, err == nil
}
