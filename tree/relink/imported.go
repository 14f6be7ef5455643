package relink

import (
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// imported are the links of an imported entry that says what its file says. Its text stays so, since the file may change
// and be imported again, and is to come out as it came in: where a link leads stands beside it ([format.Imported]).
type imported struct {
	format.Imported
	e    *format.Entry
	edit *markdown.Edit // nil: nothing is changed
}

// importedLinks are those of an entry, nil if it was not imported, or edited since.
func importedLinks(e *format.Entry) *imported {
	im, ok := format.ImportedBy(e)
	if text, _ := format.OriginalOf(e); !ok || format.SourceHash(text) != im.Hash {
		return nil
	}
	if im.Links == nil {
		im.Links = map[string]string{}
	}
	return &imported{Imported: im, e: e}
}

// lead has a relation lead to a path. It cannot where another one says the same and leads elsewhere.
func (k *imported) lead(s *tree.Snapshot, r tree.Relation, to string) bool {
	if k == nil || slices.ContainsFunc(s.Relations(k.e.Path), func(o tree.Relation) bool { return o.Raw == r.Raw && o.Target != r.Target }) {
		return false
	}
	was, had := k.Links[r.Raw]
	k.Links[r.Raw] = to
	edit, ok := k.Relinked(k.e)
	switch {
	case ok:
		k.edit = &edit
	case had:
		k.Links[r.Raw] = was
	default:
		delete(k.Links, r.Raw)
	}
	return ok
}

// edits are those with the entry's own.
func (k *imported) edits(others []markdown.Edit) []markdown.Edit {
	if k == nil || k.edit == nil {
		return others
	}
	return append(others, *k.edit)
}
