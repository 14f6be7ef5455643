package markdown

import (
	"bytes"
	"strings"
)

// ByteOrderMark begins the text of some files; some editors leave it out.
const ByteOrderMark = "\ufeff"

// WithoutMarks returns a text with spaces in place of all leading byte order marks, so that positions stay. Every
// reader of JSON that people and other programs write calls it first.
func WithoutMarks(text []byte) []byte {
	rest := bytes.TrimLeft(text, ByteOrderMark+" \t\r\n")
	before := text[:len(text)-len(rest)]
	if !bytes.Contains(before, []byte(ByteOrderMark)) {
		return text
	}
	return append(bytes.ReplaceAll(before, []byte(ByteOrderMark), []byte("   ")), rest...)
}

// Span is a half-open byte range into the text it belongs to.
type Span struct{ Start, End int }

// Contains reports whether off lies in the span or at its end. An editor's cursor is between bytes, and after the
// last one it still means this span.
func (s Span) Contains(off int) bool { return s.Start <= off && off <= s.End }

// Of returns the bytes of text that the span covers.
func (s Span) Of(text string) string { return text[s.Start:s.End] }

// Lines extends the span to whole lines, without the last line end. It is limited to the text.
func (s Span) Lines(text string) Span {
	end := min(s.End, len(text))
	start := strings.LastIndexByte(text[:min(s.Start, end)], '\n') + 1
	if n := strings.IndexByte(text[end:], '\n'); n >= 0 {
		return Span{Start: start, End: end + n}
	}
	return Span{Start: start, End: len(text)}
}

// Section is a heading and the text below it, up to the next heading of the same or a higher level. Headings
// inside code fences do not count.
type Section struct {
	Title   string
	Level   int  // 1 for "#", 2 for "##", …
	Heading Span // the heading's line without its line end
	At      Span // heading through the last byte of its content
}

// LineCounter returns the line numbers, counted from 1, of positions in a text. It continues from the last
// position, so that positions in order take one pass.
type LineCounter struct {
	text   string
	at     int
	before int // line ends before at
}

// CountLines returns a counter for a text.
func CountLines(text string) *LineCounter { return &LineCounter{text: text} }

// At returns the line number of a position.
func (c *LineCounter) At(at int) int {
	if at < c.at {
		c.at, c.before = 0, 0
	}
	c.before += strings.Count(c.text[c.at:at], "\n")
	c.at = at
	return 1 + c.before
}
