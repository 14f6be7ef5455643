package relink

import (
	"maps"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// imported holds the links of an imported entry that still has the text of its file. The text stays, since the
// file may change and be imported again, and an export must give the same text. The targets of its links are
// recorded beside it ([format.Imported]).
type imported struct {
	format.Imported
	e    *format.Entry
	edit *markdown.Edit // nil if nothing changed
}

// importedLinks returns the imported links of an entry, nil if it was not imported, or was edited since.
func importedLinks(e *format.Entry) *imported {
	im, ok := format.ImportedBy(e)
	if text, _ := format.OriginalOf(e); !ok || format.SourceHash(text) != im.Hash {
		return nil
	}
	return &imported{Imported: im, e: e}
}

// leading is a relation, and the path that it is to lead to.
type leading struct {
	tree.Relation
	to   string
	fine bool // it leads there already, if less exactly than before
}

// lead makes relations lead to their paths, and returns those for which that is impossible: a relation with the
// same text as another that leads elsewhere, and all of them if they cannot stand in frontmatter.
func (k *imported) lead(s *tree.Snapshot, all []leading) (rest []leading) {
	if k == nil || len(all) == 0 {
		return all
	}
	targets, several := map[string]string{}, map[string]bool{}
	for _, r := range s.Relations(k.e.Path) {
		if target, ok := targets[r.Raw]; ok && target != r.Target {
			several[r.Raw] = true
		}
		targets[r.Raw] = r.Target
	}
	im := k.Imported
	if im.Links = maps.Clone(im.Links); im.Links == nil {
		im.Links = map[string]string{}
	}
	for _, r := range all {
		if several[r.Raw] {
			rest = append(rest, r)
		} else {
			im.Links[r.Raw] = r.to
		}
	}
	edit, ok := im.Relinked(k.e)
	if !ok {
		return all
	}
	if len(rest) < len(all) {
		k.edit = &edit
	}
	return rest
}

// edits returns the given edits, with the one of the record.
func (k *imported) edits(others []markdown.Edit) []markdown.Edit {
	if k == nil || k.edit == nil {
		return others
	}
	return append(others, *k.edit)
}
