package codebase

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// littleDefined is the number of definitions that gives a file half of its possible score. A file with hardly any
// definition, such as one that passes on names of others, leads to the code but is not the code itself.
const littleDefined = 5

// standingOf scores the files. A score is the product of three factors: the logarithm of the number of files that
// a file is connected with by imports in either direction, the logarithm of the number of commits that changed it,
// and a factor for the number of its definitions. Connections are the imports found by package imports, including
// re-exported names. A file that depends on a header depends on its source too. Without git, all files have the
// same history.
//
// In seven projects that describe themselves (fastapi, gin, redis, tokio, vue, continue, terraform), the first ten
// files are similar to those that their guides name. Dependents alone, or page rank, choose leaves: types,
// constants, texts.
func standingOf(m *RepoMap) *standing {
	if s := m.stands.Load(); s != nil {
		return s
	}
	s := &standing{scores: map[string]float64{}}
	for _, c := range m.chunks {
		if c.Aside() != "" {
			continue
		}
		users := len(m.dependents[c.Path])
		for _, ending := range []string{".h", ".hh", ".hpp"} {
			users = max(users, len(m.dependents[strings.TrimSuffix(c.Path, path.Ext(c.Path))+ending]))
		}
		uses := 0
		for _, p := range c.deps {
			if other, ok := m.Chunk(p); ok && other.Aside() == "" {
				uses++
			}
		}
		n := float64(c.rec.count)
		score := math.Log1p(float64(users+uses)) * math.Log(2+float64(m.history.Changes(c.Path))) * n / (n + littleDefined)
		s.scores[c.Path] = score
		s.best = append(s.best, c)
	}
	s.order(s.best)
	if len(s.best) > 0 {
		if most := s.scores[s.best[0].Path]; most > 0 {
			for p := range s.scores {
				s.scores[p] /= most
			}
		}
	}
	s.entries = entriesOf(m)
	s.order(s.entries)
	m.stands.Store(s)
	return s
}

// order sorts the best first.
func (s *standing) order(chunks []*Chunk) {
	slices.SortStableFunc(chunks, func(a, b *Chunk) int {
		return cmp.Or(cmp.Compare(s.scores[b.Path], s.scores[a.Path]), cmp.Compare(b.Importance, a.Importance))
	})
}

// Reasons to leave out files if there is no query.
const (
	asideTests = "tests and examples"
	asideMade  = "vendored, generated or minified"
	asideEmpty = "without definitions of their own"
)

// Aside returns why a file does not belong to the subject of a project, "" if it does.
func (c *Chunk) Aside() string {
	switch {
	case c.Origin != "":
		return asideMade
	case c.Type == Test:
		return asideTests
	case c.rec.count == 0 && !c.Pending():
		return asideEmpty
	}
	return ""
}

// entriesOf returns the files where programs begin, with a function main, and where packages are entered: lib.rs
// of a crate, the outermost __init__.py of a Python package, the index next to a package.json or in its src
// folder, and the file at the top of a Go module that has the package's name.
func entriesOf(m *RepoMap) (out []*Chunk) {
	for _, c := range m.chunks {
		if why := c.Aside(); (why == "" || why == asideEmpty && c.Size > 0) && (entersPackage(m, c) || beginsProgram(c)) {
			out = append(out, c)
		}
	}
	return out
}

// beginsProgram reports whether a file is the start of a program: it defines a function main, or is the
// __main__.py of a package. In Python, JavaScript and TypeScript, a function main has no special meaning.
func beginsProgram(c *Chunk) bool {
	if path.Base(c.Path) == "__main__.py" {
		return true
	}
	switch c.Language {
	case syntax.Python, syntax.JavaScript, syntax.TypeScript, syntax.TSX:
		return false // in these languages main is an ordinary function
	}
	if _, ok := slices.BinarySearch(c.rec.defines, terms.Name("main")); !ok {
		return false
	}
	return slices.ContainsFunc(c.Symbols(), func(s syntax.Symbol) bool {
		return s.Name == "main" && (s.Kind == syntax.Function && s.Container == "" || s.Kind == syntax.Method)
	})
}

func entersPackage(m *RepoMap, c *Chunk) bool {
	dir, base := dirOf(c.Path), path.Base(c.Path)
	stem := stemOf(base)
	root := dir
	if path.Base(dir) == "src" || path.Base(dir) == "lib" {
		root = dirOf(dir)
	}
	has := func(folder, name string) bool { _, ok := m.configs[path.Join(folder, name)]; return ok }
	switch c.Language {
	case syntax.Rust:
		return stem == "lib" && has(root, "Cargo.toml")
	case syntax.Python:
		_, nested := m.Chunk(path.Join(dirOf(dir), base))
		return stem == "__init__" && dir != "" && !nested
	case syntax.Go:
		return stem == c.Module && has(dir, "go.mod")
	case syntax.JavaScript, syntax.TypeScript, syntax.TSX:
		return (stem == "index" || stem == path.Base(root)) && has(root, "package.json")
	}
	return false
}

// Central returns the files of the project's own code with definitions, highest score first. Files with many
// connections, many changes and many definitions have high scores.
func (m *RepoMap) Central() []*Chunk { return standingOf(m).best }

// Standing returns the score of a file without a query: 1 for the first of [RepoMap.Central], 0 for a file that is
// left out.
func (m *RepoMap) Standing(path string) float64 { return standingOf(m).scores[path] }

// EntryPoints returns the files where programs begin and packages are entered, highest score first.
func (m *RepoMap) EntryPoints() []*Chunk { return standingOf(m).entries }
