package codebase

import (
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/imports"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// staleChunks tells which chunks must be resolved again: nil means all. The
// imports and edges of a file lead elsewhere only if files came or went, or if
// another file defines or passes on something else than before.
func staleChunks(chunks []*Chunk, before *RepoMap) map[string]bool {
	if before == nil || len(chunks) != len(before.chunks) {
		return nil
	}
	s := staleness{before: before, stale: map[string]bool{}, folders: map[string]bool{}, stems: map[string]bool{}}
	for i, c := range chunks {
		old := before.chunks[i]
		switch {
		case old.Path != c.Path || old.Module != c.Module || old.Language != c.Language:
			return nil
		case old == c:
			continue
		case isPackaged(c.Language) && (isUnread(old) != isUnread(c) || path.Base(c.Path) == "package.scala"):
			return nil // its package may be another
		case c.Language == syntax.CSharp && !sameImports(old, c) && (usesGlobally(old) || usesGlobally(c)):
			return nil
		}
		s.stale[c.Path] = true
		s.compare(old, c)
	}
	s.follow()
	if len(s.folders) > 0 {
		for _, c := range chunks {
			if s.touches(c) {
				s.add(c)
			}
		}
		s.follow()
	}
	return s.stale
}

// usesGlobally reports whether a file imports for its whole project.
func usesGlobally(c *Chunk) bool {
	return slices.ContainsFunc(c.rec.imports, func(i syntax.Import) bool { return i.Kind == syntax.ImportGlobal })
}

// staleness gathers what an update touches.
type staleness struct {
	before   *RepoMap
	stale    map[string]bool
	queue    []string // files that give others something else
	folders  map[string]bool
	names    []terms.Term // that files define or import, and did not, or the reverse; sorted
	any      bool         // what is passed on is not known by name
	packaged bool         // a file of a language with packages defines something else
	stems    map[string]bool
	rust     bool // modules or uses of Rust changed: paths of any file may lead through them
}

// compare notes how a file differs from its earlier state.
func (s *staleness) compare(old, c *Chunk) {
	defines := symmetricDifference(old.rec.defines, c.rec.defines)
	imports := !sameImports(old, c)
	if len(defines) == 0 && !imports {
		return
	}
	s.queue = append(s.queue, c.Path)
	s.folders[dirOf(c.Path)] = true
	s.names = append(s.names, defines...)
	if imports {
		s.importNames(old)
		s.importNames(c)
		s.rust = s.rust || c.Language == syntax.Rust
		if c.Language == syntax.C || c.Language == syntax.Cpp {
			s.stems[stemOf(path.Base(c.Path))] = true
		}
	}
	s.packaged = s.packaged || isPackaged(c.Language) && len(defines) > 0
	slices.Sort(s.names)
	s.names = slices.Compact(s.names)
	s.any = s.any || s.has("default")
}

func (s *staleness) importNames(c *Chunk) {
	for _, i := range c.rec.imports {
		for _, n := range slices.Concat(i.Names, i.As, []string{i.Alias}) {
			s.names = append(s.names, terms.Name(n))
		}
		s.any = s.any || isStar(i)
	}
}

func (s *staleness) has(name string) bool {
	_, ok := slices.BinarySearch(s.names, terms.Name(name))
	return ok
}

// isStar tells an import that takes or passes on all names of a file.
func isStar(i syntax.Import) bool {
	return slices.Contains(i.Names, "*") || i.Kind == syntax.ImportReexport && len(i.Names) == 0
}

func (s *staleness) add(c *Chunk) {
	if s.stale[c.Path] {
		return
	}
	s.stale[c.Path] = true
	if s.passesOn(c) {
		s.queue = append(s.queue, c.Path)
	}
}

// follow adds what depends on the files of the queue, and on what passes them on.
func (s *staleness) follow() {
	for len(s.queue) > 0 {
		p := s.queue[len(s.queue)-1]
		s.queue = s.queue[:len(s.queue)-1]
		for _, from := range s.before.dependents[p] {
			if c, ok := s.before.Chunk(from); ok && (c.Language != syntax.Go || s.usedIn(c)) {
				s.add(c)
			}
		}
	}
}

// passesOn reports whether a file gives on one of the names that changed: then its
// imports decide where those of others lead.
func (s *staleness) passesOn(c *Chunk) bool {
	for _, i := range c.rec.imports {
		switch {
		case i.Kind == syntax.ImportReexport, i.Kind == syntax.ImportChild, isStar(i):
			return true
		case s.any && (len(i.Names) > 0 || i.Alias != ""), slices.ContainsFunc(i.Names, s.has):
			return true
		}
	}
	return false
}

// touches reports whether a file's imports or edges may lead elsewhere though no
// file that it depends on changed.
func (s *staleness) touches(c *Chunk) bool {
	switch {
	case s.folders[dirOf(c.Path)]:
		return true
	case c.Language == syntax.Go: // an import leads to the files that define the names used
		return s.usedIn(c) && leadsInto(c, s.folders)
	case leadsInto(c, s.folders):
		return true
	case c.Language == syntax.Rust:
		return s.rust
	case c.Language == syntax.C || c.Language == syntax.Cpp:
		return s.stems[stemOf(path.Base(c.Path))]
	}
	return s.packaged && isPackaged(c.Language) && (s.usedIn(c) || s.importsChanged(c))
}

// usedIn reports whether a file uses a name that changed, as a name or as a qualifier.
func (s *staleness) usedIn(c *Chunk) bool {
	changed := func(name terms.Term) bool { _, ok := slices.BinarySearch(s.names, name); return ok }
	return slices.ContainsFunc(c.rec.uses, func(u imports.Use) bool { return changed(u.Name) || changed(u.Qualifier) })
}

// importsChanged reports whether an import names something that changed, wherever in its path.
func (s *staleness) importsChanged(c *Chunk) bool {
	return slices.ContainsFunc(c.rec.imports, func(i syntax.Import) bool {
		return slices.ContainsFunc(i.Names, s.has) || slices.ContainsFunc(strings.FieldsFunc(i.Spec, isSeparator), s.has)
	})
}

// isSeparator tells the characters between the names of packages, and around names that are keywords.
func isSeparator(r rune) bool { return r == '.' || r == '\\' || r == '`' }

// isPackaged tells the languages whose files see their package without importing
// it, wherever its files stand.
func isPackaged(lang syntax.Language) bool {
	switch lang {
	case syntax.Java, syntax.Kotlin, syntax.Scala, syntax.CSharp, syntax.PHP, syntax.Swift:
		return true
	}
	return false
}

// isUnread tells a file that says nothing of its package.
func isUnread(c *Chunk) bool { return c.Module == "" && len(c.rec.defines) == 0 }

// symmetricDifference returns the terms that one of two sorted lists has.
func symmetricDifference(a, b []terms.Term) []terms.Term {
	var out []terms.Term
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			out, a = append(out, a[0]), a[1:]
		case len(a) == 0 || b[0] < a[0]:
			out, b = append(out, b[0]), b[1:]
		default:
			a, b = a[1:], b[1:]
		}
	}
	return out
}

// sameImports reports whether two states of a file import the same, and have
// their imports in the same modules with a body.
func sameImports(a, b *Chunk) bool {
	sameModules := slices.EqualFunc(a.rec.inline, b.rec.inline, func(x, y imports.Inline) bool { return x.Name == y.Name })
	return sameModules && slices.EqualFunc(a.rec.imports, b.rec.imports, func(x, y syntax.Import) bool {
		return x.Spec == y.Spec && x.Kind == y.Kind && x.Alias == y.Alias && slices.Equal(x.Names, y.Names) && slices.Equal(x.As, y.As) &&
			slices.Equal(modulesAround(a, x), modulesAround(b, y))
	})
}

// modulesAround returns which of a file's modules with a body are around an import.
func modulesAround(c *Chunk, i syntax.Import) (around []int) {
	for k, m := range c.rec.inline {
		if m.Body.Contains(i.At) {
			around = append(around, k)
		}
	}
	return around
}

// leadsInto reports whether an import of c leads into one of some folders: where
// the import names a folder, each file there can be meant. A Python package is
// named like a file of the folder around it.
func leadsInto(c *Chunk, folders map[string]bool) bool {
	return slices.ContainsFunc(c.targets, func(t imports.Target) bool {
		return slices.ContainsFunc(t.Paths, func(p string) bool {
			dir := dirOf(p)
			return folders[dir] || strings.HasPrefix(path.Base(p), "__init__.") && folders[dirOf(dir)]
		})
	})
}
