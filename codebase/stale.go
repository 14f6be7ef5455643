package codebase

import (
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/imports"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// staleChunks returns the chunks to resolve again; nil means all. The imports and edges of a file can change only
// if files are added or removed, or if another file defines or passes on other names than before.
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
			return nil // its package may have changed
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

// staleness collects the effects of an update.
type staleness struct {
	before   *RepoMap
	stale    map[string]bool
	queue    []string // files that now give other names to their importers
	folders  map[string]bool
	names    []terms.Term // names that files define or import only before or only after; sorted
	any      bool         // the names that are passed on are not known
	packaged bool         // the definitions changed in a file of a language with packages
	stems    map[string]bool
	rust     bool // modules or uses of Rust changed, which may affect paths in any file
}

// compare records the differences between two states of a file.
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

// isStar reports whether an import takes or passes on all names of a file.
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

// follow adds the files that depend on those in the queue, and on files that pass their names on.
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

// passesOn reports whether a file passes on a changed name. Then its imports determine the targets of other files'
// imports.
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

// touches reports whether a file's imports or edges may change even if no file that it depends on changed.
func (s *staleness) touches(c *Chunk) bool {
	switch {
	case s.folders[dirOf(c.Path)]:
		return true
	case c.Language == syntax.Go: // an import leads to the files that define the names in use
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

// usedIn reports whether a file uses a changed name, as a name or as a qualifier.
func (s *staleness) usedIn(c *Chunk) bool {
	changed := func(name terms.Term) bool { _, ok := slices.BinarySearch(s.names, name); return ok }
	return slices.ContainsFunc(c.rec.uses, func(u imports.Use) bool { return changed(u.Name) || changed(u.Qualifier) })
}

// importsChanged reports whether the path of an import contains a changed name.
func (s *staleness) importsChanged(c *Chunk) bool {
	return slices.ContainsFunc(c.rec.imports, func(i syntax.Import) bool {
		return slices.ContainsFunc(i.Names, s.has) || slices.ContainsFunc(strings.FieldsFunc(i.Spec, isSeparator), s.has)
	})
}

// isSeparator reports whether a character separates names of packages, or quotes names that are keywords.
func isSeparator(r rune) bool { return r == '.' || r == '\\' || r == '`' }

// isPackaged reports whether files of a language see their package without an import, in whatever folder they are.
func isPackaged(lang syntax.Language) bool {
	switch lang {
	case syntax.Java, syntax.Kotlin, syntax.Scala, syntax.CSharp, syntax.PHP, syntax.Swift:
		return true
	}
	return false
}

// isUnread recognises a file that names no package.
func isUnread(c *Chunk) bool { return c.Module == "" && len(c.rec.defines) == 0 }

// symmetricDifference returns the terms that only one of two sorted lists has.
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

// sameImports reports whether two states of a file have the same imports, in the same inline modules.
func sameImports(a, b *Chunk) bool {
	sameModules := slices.EqualFunc(a.rec.inline, b.rec.inline, func(x, y imports.Inline) bool { return x.Name == y.Name })
	return sameModules && slices.EqualFunc(a.rec.imports, b.rec.imports, func(x, y syntax.Import) bool {
		return x.Spec == y.Spec && x.Kind == y.Kind && x.Alias == y.Alias && slices.Equal(x.Names, y.Names) && slices.Equal(x.As, y.As) &&
			slices.Equal(modulesAround(a, x), modulesAround(b, y))
	})
}

// modulesAround returns the indexes of the inline modules around an import.
func modulesAround(c *Chunk, i syntax.Import) (around []int) {
	for k, m := range c.rec.inline {
		if m.Body.Contains(i.At) {
			around = append(around, k)
		}
	}
	return around
}

// leadsInto reports whether an import of c leads into one of some folders. An import that names a folder can mean
// any file in it. A Python package has the name of a file in the folder around it.
func leadsInto(c *Chunk, folders map[string]bool) bool {
	return slices.ContainsFunc(c.targets, func(t imports.Target) bool {
		return slices.ContainsFunc(t.Paths, func(p string) bool {
			dir := dirOf(p)
			return folders[dir] || strings.HasPrefix(path.Base(p), "__init__.") && folders[dirOf(dir)]
		})
	})
}
