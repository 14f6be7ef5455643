package relink

import (
	"errors"
	"fmt"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

var errLeaves = errors.New("it is outside the context tree")

// Respell returns the edit after which a relation of an entry leads to another entry, in its own form and as close
// to the present text as possible. ok is false if the form cannot hold the path.
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

// Missing returns the path at which a new entry would fix a broken relation. It uses existing folders, and writes
// new names as [format.Slug] does. The error tells why there is no such path.
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

// slugged writes a path with the names of existing folders. The rest is written as for new names.
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
