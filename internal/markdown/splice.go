package markdown

import (
	"slices"
	"strings"
)

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
