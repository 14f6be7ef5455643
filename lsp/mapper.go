package lsp

import (
	"math"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/tree"
)

// The coordinate systems
//
//   - Byte offset: index into the document's text as a Go string. Everything
//     below this package speaks byte offsets and half-open spans of them.
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

// encoding is the unit in which the client counts characters of a line.
type encoding int

const (
	utf16 encoding = iota // the protocol's default
	utf8Bytes
	utf32
)

// mapper converts between byte offsets of one text and protocol positions. It is
// immutable and safe for concurrent use; the line index is built on first use.
type mapper struct {
	text string
	enc  encoding

	once  sync.Once
	lines []int // byte offset of each line's first byte; lines[0] == 0
}

func newMapper(text string, enc encoding) *mapper { return &mapper{text: text, enc: enc} }

// index returns the offsets at which lines begin.
func (m *mapper) index() []int {
	m.once.Do(func() { m.lines = lineStarts(m.text) })
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
func (m *mapper) line(n int) (start, end int) {
	lines := m.index()
	start, end = lines[n], len(m.text)
	if n+1 < len(lines) {
		end = lines[n+1]
	}
	if end > start && m.text[end-1] == '\n' {
		end--
	}
	if end > start && m.text[end-1] == '\r' && n+1 < len(lines) {
		end--
	}
	return start, end
}

// offset returns the byte offset of a position. A position beyond its line means
// the line's end, one beyond the last line the text's end, and one inside a
// character the character's start.
func (m *mapper) offset(p protocol.Position) int {
	if uint64(p.Line) >= uint64(len(m.index())) {
		return len(m.text)
	}
	start, end := m.line(int(p.Line))
	return start + m.enc.bytes(m.text[start:end], p.Character)
}

// position returns the position of a byte offset. Offsets outside of the text
// mean its ends; one inside a line's end or a character means its start.
func (m *mapper) position(off int) protocol.Position {
	off = max(0, min(off, len(m.text)))
	lines := m.index()
	n := sort.SearchInts(lines, off+1) - 1
	start, end := m.line(n)
	return protocol.Position{Line: uint32(n), Character: m.enc.units(m.text[start:end], off-start)}
}

// span returns the byte range of a protocol range; an inverted one is turned.
func (m *mapper) span(r protocol.Range) tree.Span {
	s := tree.Span{Start: m.offset(r.Start), End: m.offset(r.End)}
	if s.Start > s.End {
		s.Start, s.End = s.End, s.Start
	}
	return s
}

// bounds returns the protocol range of a byte range.
func (m *mapper) bounds(s tree.Span) protocol.Range {
	return protocol.Range{Start: m.position(s.Start), End: m.position(s.End)}
}

// single is bounds without the index, for a text of which one place is asked.
func (m *mapper) single(s tree.Span) protocol.Range {
	from := max(0, min(s.Start, s.End, len(m.text)))
	to := min(len(m.text), max(s.Start, s.End, 0))
	first := strings.LastIndexByte(m.text[:from], '\n') + 1
	last := len(m.text)
	if n := strings.IndexByte(m.text[to:], '\n'); n >= 0 {
		last = to + n + 1
	}
	if strings.Contains(m.text[:last], "\r") { // which may end lines by itself
		return m.bounds(s)
	}
	part := newMapper(m.text[first:last], m.enc)
	r := part.bounds(tree.Span{Start: s.Start - first, End: s.End - first})
	before := uint32(strings.Count(m.text[:first], "\n"))
	r.Start.Line += before
	r.End.Line += before
	return r
}

// bytes returns how many bytes of line its first n units take.
func (e encoding) bytes(line string, n uint32) int {
	if uint64(n) >= uint64(len(line)) && e == utf8Bytes {
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

// units returns how many units the first n bytes of line take.
func (e encoding) units(line string, n int) uint32 {
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

// char returns the length of the first character of s in bytes and in units.
func (e encoding) char(s string) (size, units int) {
	if s[0] < utf8.RuneSelf {
		return 1, 1
	}
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case e == utf8Bytes:
		return size, size
	case e == utf16 && r > 0xFFFF:
		return size, 2
	}
	return size, 1
}
