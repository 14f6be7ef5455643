package format

import (
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// FieldEdit is the edit that sets a frontmatter key to these values, as a list if the key is one
// ([FieldKeys]). It keeps the style of the list (flow or block) and of quotes where it can, inserts a missing
// key at its place in the order of FieldKeys, and adds frontmatter if there is none. Without values, the key
// is removed.
//
// The edit is verified: afterwards the key has the values, every other key keeps its own, and there is no new
// defect. If that is impossible (a value that cannot be located in broken YAML, anchors, frontmatter over its
// limits or never closed), the edit is empty and changes nothing.
func (e *Entry) FieldEdit(key string, values ...string) markdown.Edit {
	list := fieldSpecs[key].list || len(values) > 1
	if f, ok := e.LastField(key); ok && f.List && fieldSpecs[key].doc == "" {
		list = true
	}
	return fieldEditor{e}.setField(fieldChange{key: key, values: values, list: list, remove: len(values) == 0})
}

// RemoveItems returns the edits that remove items from a frontmatter list: adjacent items together with their
// commas, or each item with its line, so that edits of the items in between do not overlap. Like
// [Entry.FieldEdit] it returns none if that is impossible.
func (e *Entry) RemoveItems(f Field, items ...int) (edits []markdown.Edit) {
	d := fieldEditor{e}
	v := d.fieldValue(f)
	change := fieldChange{key: f.Key, list: true}
	var gone []int // raw items, ascending
	for i, s := range f.Items {
		switch raw := slices.Index(v.known, i); {
		case !slices.Contains(items, i):
			change.values = append(change.values, s.Value)
		case raw < 0 && v.kind != valueScalar:
			return nil
		default:
			gone = append(gone, raw)
		}
	}
	switch {
	case len(gone) == 0:
		return nil
	case v.kind == valueScalar:
		edits = []markdown.Edit{{At: v.at, New: "[]"}}
	case len(gone) == len(v.items):
		edits = []markdown.Edit{markdown.TrimEdit(e.Text, markdown.Edit{At: v.at, New: v.build(nil)})}
	case v.kind == valueBlock:
		for _, i := range gone {
			_, next := markdown.CutLine(e.Text, v.items[i].End)
			edits = append(edits, markdown.Edit{At: markdown.Span{Start: v.items[i].Start, End: next}})
		}
	default:
		edits = v.flowRemoval(gone)
	}
	if !d.does(change, edits...) {
		return nil
	}
	return edits
}

// flowRemoval removes some items of a flow list, each with the text behind it, or at the list's end with the
// text before it.
func (v *value) flowRemoval(gone []int) (out []markdown.Edit) {
	for len(gone) > 0 {
		n := 1
		for n < len(gone) && gone[n] == gone[n-1]+1 {
			n++
		}
		from, to := gone[0], gone[n-1]
		at := markdown.Span{Start: v.items[from].Start}
		if to+1 < len(v.items) {
			at.End = v.items[to+1].Start
		} else {
			at = markdown.Span{Start: v.items[from-1].End, End: v.items[to].End}
		}
		out, gone = append(out, markdown.Edit{At: at}), gone[n:]
	}
	return out
}
