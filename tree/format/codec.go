package format

import (
	"encoding/binary"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// codec writes what Parse found in a text, or reads it back: one description of
// the format for both directions. Numbers are zigzag varints; a string is its
// place in the text if it stands there, or else its bytes. While it writes it
// changes nothing of the entry, which others may be reading.
type codec struct {
	reading bool
	buf     []byte // what is written so far, or what is left to read
	text    string
	bad     bool // what is read is not what codec writes
}

// entry describes an Entry but for Path and Text; its role follows from what is in conflict.
func (c *codec) entry(e *Entry) {
	c.literal(&e.Hash)
	c.str(&e.Title)
	c.str(&e.Summary)
	list(c, &e.Tags, c.str)
	list(c, &e.Keywords, c.str)
	c.signals(&e.Signals)
	c.moment(&e.CreatedAt)
	c.moment(&e.UpdatedAt)
	c.span(&e.Frontmatter)
	c.span(&e.Body)
	list(c, &e.Fields, func(f *Field) {
		c.str(&f.Key)
		c.span(&f.KeyAt)
		c.span(&f.At)
		list(c, &f.Items, func(s *Scalar) { c.str(&s.Value); c.span(&s.At) })
		c.flag(&f.List)
	})
	list(c, &e.Sections, func(s *markdown.Section) { c.str(&s.Title); c.num(&s.Level); c.span(&s.Heading); c.span(&s.At) })
	list(c, &e.Facts, func(f *Fact) {
		c.str(&f.Subject)
		c.str(&f.Statement)
		c.str(&f.Value)
		c.str(&f.Category)
		c.span(&f.At)
	})
	list(c, &e.Files, func(f *FileRef) { c.str(&f.Path); c.span(&f.At) })
	list(c, &e.Code, c.span)
	list(c, &e.Relations, func(r *Mention) { c.num((*int)(&r.Form)); c.str(&r.Raw); c.str(&r.Heading); c.span(&r.At) })
	c.flag(&e.veiled)
	list(c, &e.Conflicts, func(o *Conflict) { c.span(&o.At); c.span(&o.Ours); c.span(&o.Theirs); c.flag(&o.Certain) })
	if c.reading {
		e.Role = roleWith(e.Conflicts, e.Path)
	}
	list(c, &e.Problems, func(p *Problem) {
		c.literal(&p.Code)
		c.num((*int)(&p.Severity))
		c.literal(&p.Message)
		c.span(&p.At)
	})
}

func (c *codec) signals(s *Signals) {
	c.float(&s.Importance)
	c.float(&s.Recency)
	c.str((*string)(&s.Maturity))
	c.num(&s.AccessCount)
	c.num(&s.UpdateCount)
	c.flag(&s.Has)
}

func (c *codec) num(v *int) {
	if !c.reading {
		c.buf = binary.AppendVarint(c.buf, int64(*v))
		return
	}
	n, size := binary.Varint(c.buf)
	if size <= 0 {
		c.bad, c.buf = true, nil
		return
	}
	*v, c.buf = int(n), c.buf[size:]
}

func (c *codec) flag(v *bool) {
	n := 0
	if *v {
		n = 1
	}
	if c.num(&n); c.reading {
		*v = n == 1
	}
}

func (c *codec) float(v *float64) {
	bits := int(math.Float64bits(*v))
	if c.num(&bits); c.reading {
		*v = math.Float64frombits(uint64(bits))
	}
}

func (c *codec) span(s *markdown.Span) {
	start, length := s.Start, s.End-s.Start
	c.num(&start)
	c.num(&length)
	if start < 0 || length < 0 || start > len(c.text) || length > len(c.text)-start {
		c.bad, start, length = true, 0, 0
	}
	if c.reading {
		*s = markdown.Span{Start: start, End: start + length}
	}
}

// str describes a string that likely stands in the text.
func (c *codec) str(v *string) {
	at, length := -1, len(*v)
	if !c.reading {
		at = strings.Index(c.text, *v)
	}
	if c.num(&at); at < 0 {
		c.literal(v)
		return
	}
	if c.num(&length); length < 0 || at > len(c.text) || length > len(c.text)-at {
		c.bad, length, at = true, 0, 0
	}
	if c.reading {
		*v = c.text[at : at+length]
	}
}

// literal describes a string by its bytes.
func (c *codec) literal(v *string) {
	length := len(*v)
	c.num(&length)
	if !c.reading {
		c.buf = append(c.buf, *v...)
		return
	}
	if length < 0 || length > len(c.buf) {
		c.bad, length = true, 0
	}
	*v, c.buf = string(c.buf[:length]), c.buf[length:]
}

func (c *codec) moment(t *time.Time) {
	if !c.reading {
		data, err := t.MarshalBinary()
		c.bad = c.bad || err != nil // an offset with odd seconds: such an entry is not cached
		s := string(data)
		c.literal(&s)
		return
	}
	var s string
	c.literal(&s)
	if t.UnmarshalBinary([]byte(s)) != nil {
		c.bad = true
	}
}

// list describes a list; nil and empty ones differ.
func list[T any](c *codec, l *[]T, item func(*T)) {
	length := len(*l)
	if *l == nil {
		length = -1
	}
	c.num(&length)
	if c.reading {
		if length > len(c.buf) || length < -1 { // each item takes a byte at least
			c.bad, length = true, -1
		}
		if length < 0 {
			*l = nil
			return
		}
		*l = make([]T, length)
	}
	for i := range *l {
		item(&(*l)[i])
	}
}

// AppendEntry appends what [Parse] found in an entry's text, and the text; ok is false where that cannot
// be written. [DecodeEntry] reads it.
func AppendEntry(to []byte, e *Entry) (out []byte, ok bool) {
	c := codec{buf: to, text: e.Text}
	c.literal(&e.Text)
	c.entry(e)
	return c.buf, !c.bad
}

// DecodeEntry reads the entry at a path from what [AppendEntry] wrote; ok is false for anything else.
func DecodeEntry(p string, data []byte) (e *Entry, ok bool) {
	e = &Entry{Path: p, Role: RoleOf(p), tokens: new(atomic.Int64), identity: new(atomic.Pointer[string])}
	c := codec{reading: true, buf: data}
	c.literal(&e.Text)
	c.text = e.Text
	c.entry(e)
	return e, !c.bad && len(c.buf) == 0
}

// ParserSample is the encoded result of parsing texts that have everything: two parsers that differ in
// what they find differ in it, so that nobody has to remember to count up a version.
func ParserSample() (out []byte) {
	for _, p := range []string{"a/b/c.md", "a/b/context.md"} {
		for _, text := range []string{
			everything, strings.ReplaceAll(everything, "\n", "\r\n"), everything[:len(everything)/2], "# Title\n" + everything,
			"<<<<<<< a\n" + everything + "=======\n>>>>>>> b\n",
		} {
			out, _ = AppendEntry(out, Parse(p, text))
		}
	}
	return out
}

// everything holds each construct that Parse knows.
const everything = `---
title: "A \"title\""
summary: 'It''s one'
tags: [a, "b", @c/d]
keywords:
  - k # why
aliases: [other]
related: [a/b, "@a/b/c.md#Head", 'x y', ../out, "[[wiki|x]]"]
sources:
  - d/e/f.md
  - words
consolidated_from: [{date: "2026-01-01", path: a/b/old.md, reason: "same"}]
importance: 62.5
recency: 2
maturity: Core
accessCount: 3
updateCount: x
createdAt: 2026-01-02T03:04:05+02:00
updatedAt: soon
unknown: {a: [1]}
title: again
---
# Heading #
<!-- c -->

` + "```\n<link href=x>\n```" + `
Text @a/b/c.md#Part, (@x/y/z) a@b/c @A/B. [l](../x.md#h "t") [m](<a b.md>) [[name]] [[p/q|text]] ` + "`code` `` `x` ``" + `
## Reason
why
## Raw Concept
**Task:**
do
**Changes:**
- c
**Files:**
- src/a.go:12-30
- ` + "`src/b.go`" + ` - what it is
src/c.go, src/d.go (d)
**Flow:**
a -> b
**Timestamp:** 2026-01-01
**Patterns:**
- ` + "`^x$`" + ` (flags: i) - all
## Narrative
### Structure
s
### Dependencies
d
### Rules
1. r
### Examples
e
## Facts
- **subject**: statement = ` + "`value`" + ` [convention]
- no subject [odd]
* value: [v]
~~~go
@no/relation
~~~
    indented
## Relations
@a/b/c.md
[id]: ../x.md
`
