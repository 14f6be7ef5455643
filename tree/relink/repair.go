package relink

import (
	"errors"
	"fmt"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

var errLeaves = errors.New("it leaves the context tree")

// Respell is the edit after which a relation of an entry leads to another entry, in its
// own form and as near as possible to how it is written. ok is false where the form
// cannot carry the path.
func Respell(s *tree.Snapshot, from string, r tree.Relation, target string) (edit markdown.Edit, ok bool) {
	e, ok := s.Entry(from)
	if !ok {
		return markdown.Edit{}, false
	}
	said := r.Raw
	if ways := tree.Meanings(from, r.Form, r.Raw); len(ways) > 0 {
		said = ways[0]
	}
	if !strings.HasSuffix(format.Fold(said), ".md") {
		said += ".md"
	}
	out, ok := respell(e, r, spelling{from, from, said, target}, func(raw string) bool {
		return s.Resolve(from, r.Form, raw).Target == target
	})
	if !ok || out.doubtful && !readsAs(s, e, out.Edit, target) {
		return markdown.Edit{}, false
	}
	return out.Edit, true
}

// Missing is the path at which a new entry makes a relation that leads nowhere lead to
// it: in the folders that are there, with new names as [format.Slug] writes them. The error
// says why there is none.
func Missing(s *tree.Snapshot, from string, r tree.Relation) (string, error) {
	ways := tree.Meanings(from, r.Form, r.Raw)
	if len(ways) == 0 || r.Escapes {
		return "", fmt.Errorf("%s: %w", r.Raw, errLeaves)
	}
	said := strings.TrimSuffix(ways[0], ".md")
	for _, p := range []string{slugged(s, said) + ".md", said + ".md"} {
		if format.CheckEntryPath(p) == nil && !s.Taken(p) && s.With(p, "").Resolve(from, r.Form, r.Raw).Target == p {
			return p, nil
		}
	}
	if err := format.CheckEntryPath(said + ".md"); err != nil {
		return "", err
	}
	return "", fmt.Errorf("%s.md: another file is in the way", said)
}

// slugged writes a path with the names of the folders that are there, and the rest as new
// names are written.
func slugged(s *tree.Snapshot, p string) string {
	names := strings.Split(p, "/")
	at := ""
	for i, name := range names {
		slug := format.Slug(name)
		if n, ok := s.Node(at); ok && i < len(names)-1 {
			for _, folder := range n.Folders {
				if base := folder[strings.LastIndexByte(folder, '/')+1:]; format.Fold(base) == format.Fold(name) {
					slug = base
				}
			}
		}
		names[i] = slug
		at = strings.Join(names[:i+1], "/")
	}
	return at
}
