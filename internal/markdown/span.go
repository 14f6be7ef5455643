package markdown

import (
	"bytes"
	"slices"
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

// Edit replaces the bytes of a span.
type Edit struct {
	At  Span
	New string
}

// ApplyEdits returns the text after edits, which must not overlap; their order does not matter. Edits beyond
// the text, or overlapping an earlier one, are dropped.
func ApplyEdits(text string, edits []Edit) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int {
		if a.At.Start != b.At.Start {
			return a.At.Start - b.At.Start
		}
		return a.At.End - b.At.End
	})
	var b strings.Builder
	pos := 0
	for _, ed := range edits {
		if ed.At.Start < pos || ed.At.End < ed.At.Start || ed.At.End > len(text) {
			continue
		}
		b.WriteString(text[pos:ed.At.Start])
		b.WriteString(ed.New)
		pos = ed.At.End
	}
	b.WriteString(text[pos:])
	return b.String()
}

// TrimEdit makes an edit of a text as small as possible.
func TrimEdit(text string, ed Edit) Edit {
	old := ed.At.Of(text)
	n := 0
	for n < len(old) && n < len(ed.New) && old[n] == ed.New[n] {
		n++
	}
	for n > 0 && (inside(old, n) || inside(ed.New, n)) {
		n--
	}
	old, ed.New = old[n:], ed.New[n:]
	ed.At.Start += n
	m := 0
	for m < len(old) && m < len(ed.New) && old[len(old)-1-m] == ed.New[len(ed.New)-1-m] {
		m++
	}
	for m > 0 && (inside(old, len(old)-m) || inside(ed.New, len(ed.New)-m)) {
		m--
	}
	ed.New = ed.New[:len(ed.New)-m]
	ed.At.End -= m
	return ed
}

// inside reports whether s[i] is not the first byte of a character or line end.
func inside(s string, i int) bool {
	return i < len(s) && (s[i]&0xc0 == 0x80 || s[i] == '\n' && i > 0 && s[i-1] == '\r')
}
