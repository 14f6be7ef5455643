// Package position converts between the protocol's positions and byte offsets, and applies
// the changes that clients send of their documents.
//
// # Coordinate systems
//
//   - Byte offset: index into the document's text as a Go string. Everything
//     but the protocol speaks byte offsets and half-open spans of them.
//   - Line: zero-based. A line ends with "\n", "\r\n" or a lone "\r", and with
//     nothing else: U+2028, U+0085 and form feeds are ordinary characters to the
//     protocol, although some editors draw them as breaks.
//   - Character: zero-based distance from the start of the line, in code units of
//     the negotiated encoding: bytes (utf-8), 16-bit units (utf-16, where a
//     character beyond U+FFFF counts two) or code points (utf-32). The line's
//     end is not part of it, so no character lies behind the "\r" of "\r\n".
//
// A byte that is not valid UTF-8 counts as one unit in each encoding. Columns
// shown to people (lines and columns from one, tabs expanded) do not occur here.
package position

import (
	"math"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// Encoding is the unit in which the client counts the characters of a line.
type Encoding int

// The encodings of the protocol.
const (
	UTF16 Encoding = iota // the protocol's default
	UTF8
	UTF32
)

// Mapper converts between byte offsets of one text and protocol positions. It is
// immutable and safe for concurrent use; the line index is built on first use.
type Mapper struct {
	Text string // must not be changed
	enc  Encoding

	once  sync.Once
	lines []int // byte offset of each line's first byte; lines[0] == 0
}

// NewMapper makes the mapper of a text. It does no work yet.
func NewMapper(text string, enc Encoding) *Mapper { return &Mapper{Text: text, enc: enc} }

// index returns the offsets of the lines.
func (m *Mapper) index() []int {
	m.once.Do(func() { m.lines = lineStarts(m.Text) })
	return m.lines
}

// lineStarts finds the first byte of each line.
func lineStarts(text string) []int {
	starts := make([]int, 1, 1+strings.Count(text, "\n"))
	onlyLF := !strings.Contains(text, "\r")
	for i := 0; i < len(text); {
		if onlyLF {
			n := strings.IndexByte(text[i:], '\n')
			if n < 0 {
				break
			}
			i += n + 1
			starts = append(starts, i)
			continue
		}
		c := text[i]
		i++
		if c == '\r' && i < len(text) && text[i] == '\n' {
			i++
		}
		if c == '\n' || c == '\r' {
			starts = append(starts, i)
		}
	}
	return starts
}

// line returns the byte range of a line without its line end.
func (m *Mapper) line(n int) (start, end int) {
	lines := m.index()
	start, end = lines[n], len(m.Text)
	if n+1 < len(lines) {
		end = lines[n+1]
	}
	if end > start && m.Text[end-1] == '\n' {
		end--
	}
	if end > start && m.Text[end-1] == '\r' && n+1 < len(lines) {
		end--
	}
	return start, end
}

// Offset returns the byte offset of a position. A position beyond its line becomes the line's end, one beyond the
// last line becomes the text's end, and one inside a character becomes the character's start.
func (m *Mapper) Offset(p protocol.Position) int {
	if uint64(p.Line) >= uint64(len(m.index())) {
		return len(m.Text)
	}
	start, end := m.line(int(p.Line))
	return start + m.enc.bytes(m.Text[start:end], p.Character)
}

// Position returns the position of a byte offset. An offset outside of the text becomes its nearest end; one
// inside a line end or a character becomes its start.
func (m *Mapper) Position(off int) protocol.Position {
	off = max(0, min(off, len(m.Text)))
	lines := m.index()
	n := sort.SearchInts(lines, off+1) - 1
	start, end := m.line(n)
	return protocol.Position{Line: uint32(n), Character: m.enc.units(m.Text[start:end], off-start)}
}

// Span returns the byte range of a protocol range. The ends of an inverted range are exchanged.
func (m *Mapper) Span(r protocol.Range) markdown.Span {
	s := markdown.Span{Start: m.Offset(r.Start), End: m.Offset(r.End)}
	if s.Start > s.End {
		s.Start, s.End = s.End, s.Start
	}
	return s
}

// Bounds returns the protocol range of a byte range.
func (m *Mapper) Bounds(s markdown.Span) protocol.Range {
	return protocol.Range{Start: m.Position(s.Start), End: m.Position(s.End)}
}

// Single is Bounds without the line index, for a text with only one place.
func (m *Mapper) Single(s markdown.Span) protocol.Range {
	from := max(0, min(s.Start, s.End, len(m.Text)))
	to := min(len(m.Text), max(s.Start, s.End, 0))
	first := strings.LastIndexByte(m.Text[:from], '\n') + 1
	last := len(m.Text)
	if n := strings.IndexByte(m.Text[to:], '\n'); n >= 0 {
		last = to + n + 1
	}
	if strings.Contains(m.Text[:last], "\r") { // a \r may end lines by itself
		return m.Bounds(s)
	}
	part := NewMapper(m.Text[first:last], m.enc)
	r := part.Bounds(markdown.Span{Start: s.Start - first, End: s.End - first})
	before := uint32(strings.Count(m.Text[:first], "\n"))
	r.Start.Line += before
	r.End.Line += before
	return r
}

// Lines returns the range of the lines from to to, counted from zero, without the last line end. It returns false
// if the text has no such lines.
func (m *Mapper) Lines(from, to int) (protocol.Range, bool) {
	if from < 0 || to < from || to >= len(m.index()) {
		return protocol.Range{}, false
	}
	start, _ := m.line(from)
	_, end := m.line(to)
	return protocol.Range{Start: m.Position(start), End: m.Position(end)}, true
}

// bytes returns the number of bytes in the first n units of line.
func (e Encoding) bytes(line string, n uint32) int {
	if uint64(n) >= uint64(len(line)) && e == UTF8 {
		return len(line)
	}
	left, i := int(min(n, math.MaxInt32)), 0
	for i < len(line) && left > 0 {
		size, units := e.char(line[i:])
		if units > left {
			break // inside the character
		}
		left -= units
		i += size
	}
	return i
}

// units returns the number of units in the first n bytes of line.
func (e Encoding) units(line string, n int) uint32 {
	total, i := 0, 0
	for i < len(line) && i < n {
		size, units := e.char(line[i:])
		if i+size > n {
			break // inside the character
		}
		total += units
		i += size
	}
	return uint32(total)
}

// char returns the length of the first character in s, in bytes and in units.
func (e Encoding) char(s string) (size, units int) {
	if s[0] < utf8.RuneSelf {
		return 1, 1
	}
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case e == UTF8:
		return size, size
	case e == UTF16 && r > 0xFFFF:
		return size, 2
	}
	return size, 1
}

// Negotiate chooses the cheapest encoding that the client supports; utf-16, the default, is always allowed.
func Negotiate(offered []protocol.PositionEncodingKind) Encoding {
	switch {
	case slices.Contains(offered, protocol.PositionEncodingKindUTF8):
		return UTF8
	case slices.Contains(offered, protocol.PositionEncodingKindUTF16):
		return UTF16
	case slices.Contains(offered, protocol.PositionEncodingKindUTF32):
		return UTF32
	}
	return UTF16
}

// Kind returns the protocol's name for an encoding.
func (e Encoding) Kind() protocol.PositionEncodingKind {
	switch e {
	case UTF8:
		return protocol.PositionEncodingKindUTF8
	case UTF32:
		return protocol.PositionEncodingKindUTF32
	}
	return protocol.PositionEncodingKindUTF16
}

// Walk converts offsets that mostly increase. [Mapper.Position] counts from the start of the line each time; a
// Walk counts only once. For a line of a megabyte with thousands of relations, that avoids the product of the two.
type Walk struct {
	m     *Mapper
	line  int // the line of at
	at    int // an offset
	units uint32
}

// Walk begins at the top of the text.
func (m *Mapper) Walk() *Walk { return &Walk{m: m} }

// Position is [Mapper.Position].
func (w *Walk) Position(off int) protocol.Position {
	if off < w.at || off > len(w.m.Text) {
		return w.m.Position(off)
	}
	lines := w.m.index()
	if w.line+1 < len(lines) && lines[w.line+1] <= off {
		rest := lines[w.line+1:]
		w.line += sort.SearchInts(rest, off+1)
		w.at, w.units = lines[w.line], 0
	}
	_, end := w.m.line(w.line)
	for to := min(off, end); w.at < to; {
		size, units := w.m.enc.char(w.m.Text[w.at:end])
		if w.at+size > to {
			break // inside the character
		}
		w.at, w.units = w.at+size, w.units+uint32(units)
	}
	return protocol.Position{Line: uint32(w.line), Character: w.units}
}

// Bounds is [Mapper.Bounds].
func (w *Walk) Bounds(s markdown.Span) protocol.Range {
	return protocol.Range{Start: w.Position(s.Start), End: w.Position(s.End)}
}
