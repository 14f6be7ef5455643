package refactor

import (
	"fmt"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// renameTag gives a tag another name in every entry; where an entry has the new one
// already, the old one goes.
func (p Project) renameTag(was, is string) (Change, error) {
	if is == was {
		return Change{}, nil
	}
	edits := map[string][]markdown.Edit{}
	for _, e := range p.Tree.Entries() {
		if !slices.Contains(e.Tags, was) || e.Role.Generated() {
			continue
		}
		if err := e.Unmerged(); err != nil {
			return Change{}, err
		}
		list, ok := retag(e, was, is)
		if !ok {
			return Change{}, fmt.Errorf("%s: its tags cannot be edited safely; repair its frontmatter first", e.Path)
		}
		edits[e.Path] = list
	}
	return p.entryChange(Change{Title: fmt.Sprintf("Rename tag %q to %q", was, is)}, edits)
}

// retag changes a tag of one entry: in its place, so that quotes and comments stay, or
// else by writing the list anew.
func retag(e *format.Entry, was, is string) ([]markdown.Edit, bool) {
	var tags []string
	for _, t := range e.Tags {
		if t == was {
			t = is
		}
		if !slices.Contains(tags, t) {
			tags = append(tags, t)
		}
	}
	var inPlace []markdown.Edit
	for _, f := range e.Fields {
		for _, item := range f.Items {
			if f.Key == "tags" && item.Value == was {
				inPlace = append(inPlace, markdown.Edit{At: item.At, New: is})
			}
		}
	}
	after := format.Parse(e.Path, markdown.ApplyEdits(e.Text, inPlace))
	if slices.Equal(after.Tags, tags) && len(after.Problems) <= len(e.Problems) && len(after.Fields) == len(e.Fields) {
		return inPlace, true
	}
	edit := e.FieldEdit("tags", tags...)
	return []markdown.Edit{edit}, edit != (markdown.Edit{})
}
