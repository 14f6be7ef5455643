package refactor

import (
	"fmt"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Normalise plans the written form of an entry's frontmatter: the order of keys and the
// form of lists; see [format.Entry.CanonicalFrontmatter]. The change has no files where
// nothing is to do, or where it could not be done without loss.
func Normalise(p Project, entry string) (Change, error) {
	e, ok := p.Tree.Entry(entry)
	if !ok {
		return Change{}, fmt.Errorf("%s: no such entry in the context tree", entry)
	}
	c := Change{Title: "Normalise frontmatter"}
	if e.Role == format.RoleEntry || e.Role == format.RoleOverview {
		if edits := e.CanonicalFrontmatter(); len(edits) > 0 {
			return p.assemble(c, map[string][]markdown.Edit{p.FilePath(entry): edits}), nil
		}
	}
	return c, nil
}
