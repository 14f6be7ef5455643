package refactor

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// tagSign may stand before a tag, as in Obsidian.
const tagSign = "#"

// sameTag reports whether two tags are equal without regard to letter case and the sign.
func sameTag(a, b string) bool {
	return strings.EqualFold(strings.TrimPrefix(a, tagSign), strings.TrimPrefix(b, tagSign))
}

// renameTag renames a tag in every entry, however it is written. If an entry has the new tag already, the old one
// is removed.
func (p Project) renameTag(was, is string) (Change, error) {
	if is == was {
		return Change{}, nil
	}
	edits, c := map[string][]markdown.Edit{}, Change{Title: fmt.Sprintf("Rename tag %q to %q", was, is)}
	for _, e := range p.Tree.Entries() {
		if !slices.ContainsFunc(e.Tags, func(t string) bool { return sameTag(t, was) }) || e.Role.Generated() {
			continue
		}
		if err := e.Unmerged(); err != nil {
			return Change{}, err
		} else if list, ok := retag(e, was, is); ok {
			edits[e.Path] = list
		} else {
			c.Left = append(c.Left, e.Path+": its tags cannot be edited safely; correct its frontmatter first")
		}
	}
	if len(edits) == 0 && len(c.Left) > 0 {
		return Change{}, errors.New(c.Left[0])
	}
	return p.entryChange(c, edits)
}

// retag changes a tag of one entry. It edits the tag in its place, so that quotes and comments stay, or else
// rewrites the list.
func retag(e *format.Entry, was, is string) ([]markdown.Edit, bool) {
	named := func(t string) string {
		if !sameTag(t, was) {
			return t
		}
		sign := t[:len(t)-len(strings.TrimPrefix(t, tagSign))]
		return sign + strings.TrimPrefix(is, tagSign)
	}
	var tags []string
	for _, t := range e.Tags {
		now := named(t)
		if again := func(o string) bool { return sameTag(o, now) }; now == t && !sameTag(t, is) || !slices.ContainsFunc(tags, again) {
			tags = append(tags, now)
		}
	}
	var inPlace []markdown.Edit
	for _, f := range e.Fields {
		for _, item := range f.Items {
			if now := named(item.Value); f.Key == "tags" && now != item.Value {
				inPlace = append(inPlace, item.Rewritten(e.Text, now))
			}
		}
	}
	after := format.Parse(e.Path, markdown.ApplyEdits(e.Text, inPlace))
	if len(tags) == len(e.Tags) && slices.Equal(after.Tags, tags) && len(after.Problems) <= len(e.Problems) &&
		len(after.Fields) == len(e.Fields) {
		return inPlace, true
	}
	edit := e.FieldEdit("tags", tags...)
	return []markdown.Edit{edit}, edit != (markdown.Edit{})
}
