package codebase

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/codebase/edges"
	"github.com/brv-lsp/brv-lsp/codebase/imports"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// Outside is an import that leads to files of another repository.
type Outside struct {
	Path  string // the file with the import
	Place int    // its position in the file, in bytes
	Spec  string // the import as it is written
	To    []string
	Sure  imports.Sure

	imp  syntax.Import
	uses []imports.Use
}

// across is held while imports of one repository are resolved in another. Such work uses resolvers of its own,
// since the resolver of a map may be in use for the next map.
var across sync.Mutex

// resolving returns such a resolver for a map, made when it is first needed. The caller holds across.
func resolving(m *RepoMap) *imports.Resolver {
	if m.outside == nil {
		files := make([]*imports.File, len(m.chunks))
		for i, c := range m.chunks {
			files[i] = c.file
		}
		m.outside = imports.New(files, imports.Configs{Texts: m.configs, Read: m.readText}, nil)
	}
	return m.outside
}

// Facts lists the interfaces that the file offers to other programs or uses from them. Vendored code has none. A
// test has no routes, since those belong to servers that it simulates.
func (c *Chunk) Facts() []edges.Fact {
	switch {
	case c.Origin == "vendored":
		return nil
	case c.Type == Test:
		return slices.DeleteFunc(slices.Clone(c.rec.facts), func(f edges.Fact) bool { return f.Kind == edges.Route })
	}
	return c.rec.facts
}

// Into lists the imports of a map that lead into another repository and into no third one, in order of path and
// position. Vendored code is neither source nor target.
func Into(from, to *RepoMap, all []*RepoMap) (out []Outside) {
	across.Lock()
	defer across.Unlock()
	theirs, ours := resolving(to), resolving(from)
	nowhere := map[string]bool{} // imports of Go files that lead nowhere
	for _, c := range from.chunks {
		if c.Origin == "vendored" {
			continue
		}
		for i, t := range c.targets {
			if len(t.Paths) > 0 && !from.vendored(t.Paths[0]) || t.Reason == imports.Dynamic || t.Reason == imports.Asset {
				continue
			}
			imp := c.rec.imports[i]
			if c.Language == syntax.Go && nowhere[imp.Spec] {
				continue
			}
			paths, sure := imports.Outside(theirs, ours, c.file, imp)
			if paths = slices.DeleteFunc(paths, to.vendored); len(paths) == 0 {
				nowhere[imp.Spec] = true
				continue
			}
			twice := slices.ContainsFunc(all, func(m *RepoMap) bool {
				if m == from || m == to {
					return false
				}
				also, _ := imports.Outside(resolving(m), ours, c.file, imp)
				return len(also) > 0 && !m.vendored(also[0])
			})
			if !twice {
				out = append(out, Outside{c.Path, imp.At.Start, imp.Spec, paths, sure, imp, c.rec.uses})
			}
		}
	}
	return out
}

func (m *RepoMap) vendored(p string) bool {
	c, ok := m.Chunk(p)
	return ok && c.Origin == "vendored"
}

// Names reports whether the import takes a name from a file whose package has the name module ("" for none). It
// may import the name itself, or a whole module behind whose qualifier the file uses the name.
func (o *Outside) Names(name, module string) bool {
	last := o.Spec[strings.LastIndexAny(o.Spec, "./:")+1:]
	if slices.Contains(o.imp.Names, name) || last == name {
		return true
	}
	qualifier := terms.Name(cmp.Or(o.imp.Alias, module, last))
	_, used := slices.BinarySearchFunc(o.uses, imports.Use{Qualifier: qualifier, Name: terms.Name(name)}, func(a, b imports.Use) int {
		return cmp.Or(cmp.Compare(a.Qualifier, b.Qualifier), cmp.Compare(a.Name, b.Name))
	})
	return used && len(o.imp.Names) == 0
}
