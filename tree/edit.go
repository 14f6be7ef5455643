package tree

import (
	"slices"
	"strings"
)

// Edit replaces the bytes of a span.
type Edit struct {
	At  Span
	New string
}

// ApplyEdits returns the text after edits, which must not overlap; their order
// does not matter. Edits beyond the text, or that overlap an earlier one, are
// left out.
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

// FieldEdit is the edit that gives a frontmatter key these values, as a list if
// the key is one ([FieldKeys]); it keeps the present style of the list (flow or
// block) and of quotes where it can, inserts a missing key at its place in the
// order of FieldKeys, and makes the frontmatter if there is none. No values
// removes the key.
//
// An edit is only made where it does what it says: the key has the values, every
// other key keeps its own and no new defect appears. Where that cannot be (a
// value that cannot be located in broken YAML, anchors, frontmatter over its
// limits or never closed) the edit is empty and changes nothing.
func (e *Entry) FieldEdit(key string, values ...string) Edit {
	list := fieldSpecs[key].list || len(values) > 1
	if f, ok := e.lastField(key); ok && f.List && fieldSpecs[key].doc == "" {
		list = true
	}
	return e.setField(fieldChange{key: key, values: values, list: list, remove: len(values) == 0})
}

// RemoveItem is the edit that takes one item out of a frontmatter list. Like
// [Entry.FieldEdit] it changes nothing where that cannot be done.
func (e *Entry) RemoveItem(f Field, item int) Edit {
	if item < 0 || item >= len(f.Items) {
		return Edit{}
	}
	rest := make([]string, 0, len(f.Items)-1)
	for i, s := range f.Items {
		if i != item {
			rest = append(rest, s.Value)
		}
	}
	change := fieldChange{key: f.Key, values: rest, list: true}
	v := e.fieldValue(f)
	if v.kind == valueScalar {
		return e.verified(change, Edit{v.at, "[]"})
	}
	drop := slices.Index(v.known, item)
	if drop < 0 {
		return Edit{}
	}
	var out []piece
	for i := range v.items {
		if i != drop {
			out = append(out, piece{kept: i})
		}
	}
	return e.verified(change, trimEdit(e.Text, Edit{v.at, v.build(out)}))
}

// NarrowEdit makes an edit of a text as small as it can be.
func NarrowEdit(text string, ed Edit) Edit { return trimEdit(text, ed) }

// trimEdit makes an edit as small as it can be.
func trimEdit(text string, ed Edit) Edit {
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
