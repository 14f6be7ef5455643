package format

import (
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

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
func (e *Entry) FieldEdit(key string, values ...string) markdown.Edit {
	list := fieldSpecs[key].list || len(values) > 1
	if f, ok := e.LastField(key); ok && f.List && fieldSpecs[key].doc == "" {
		list = true
	}
	return fieldEditor{e}.setField(fieldChange{key: key, values: values, list: list, remove: len(values) == 0})
}

// RemoveItem is the edit that takes one item out of a frontmatter list. Like
// [Entry.FieldEdit] it changes nothing where that cannot be done.
func (e *Entry) RemoveItem(f Field, item int) markdown.Edit {
	if item < 0 || item >= len(f.Items) {
		return markdown.Edit{}
	}
	rest := make([]string, 0, len(f.Items)-1)
	for i, s := range f.Items {
		if i != item {
			rest = append(rest, s.Value)
		}
	}
	change := fieldChange{key: f.Key, values: rest, list: true}
	d := fieldEditor{e}
	v := d.fieldValue(f)
	if v.kind == valueScalar {
		return d.verified(change, markdown.Edit{At: v.at, New: "[]"})
	}
	drop := slices.Index(v.known, item)
	if drop < 0 {
		return markdown.Edit{}
	}
	var out []piece
	for i := range v.items {
		if i != drop {
			out = append(out, piece{kept: i})
		}
	}
	return d.verified(change, markdown.TrimEdit(e.Text, markdown.Edit{At: v.at, New: v.build(out)}))
}
