package codebase

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// resolver finds the files that imports lead to. It knows the mapped files and
// the configuration files; it looks at nothing else, save configuration that
// another one extends.
type resolver struct {
	scanner *scanner
	files   map[string]*Chunk
	folders map[string][]*Chunk          // the files directly in a folder, sorted
	parents map[string]bool              // every folder that holds a file at any depth
	goNames map[string]map[term][]*Chunk // definers by folder, filled when needed
	configs map[string]string

	// What the configuration files say, and for Python which files there are.
	outside   map[string]bool // those with unusual names that others extend
	goModules goModules
	scripts   scriptConfigs
	python    pythonRoots
	crates    crates
}

// configNames are the files besides tsconfig and jsconfig that say how imports
// resolve.
var configNames = setOf("go.mod", "go.work", "package.json", "Cargo.toml", "pyproject.toml", "setup.py", "setup.cfg")

func isConfig(p string) bool {
	base := path.Base(p)
	if configNames[base] {
		return true
	}
	return strings.HasSuffix(base, ".json") && (strings.HasPrefix(base, "tsconfig") || strings.HasPrefix(base, "jsconfig"))
}

func newResolver(s *scanner, chunks []*Chunk, configs map[string]string) *resolver {
	r := &resolver{
		scanner: s,
		files:   make(map[string]*Chunk, len(chunks)),
		folders: map[string][]*Chunk{},
		parents: map[string]bool{"": true},
		configs: configs,
		outside: map[string]bool{},
		goNames: map[string]map[term][]*Chunk{},
	}
	for _, c := range chunks {
		r.files[c.Path] = c
		dir := dirOf(c.Path)
		r.folders[dir] = append(r.folders[dir], c)
		for ; !r.parents[dir]; dir = dirOf(dir) {
			r.parents[dir] = true
		}
	}
	return r
}

// configure reads the configuration files.
func (r *resolver) configure() {
	r.goModules = readGoModules(r.configs)
	r.scripts = readScriptConfigs(r)
	r.python = readPythonRoots(r)
	r.crates = readCrates(r.configs)
}

// adopt takes over what another resolver read from the same configuration for
// the same paths.
func (r *resolver) adopt(o *resolver) {
	r.outside, r.goModules, r.scripts, r.python, r.crates = o.outside, o.goModules, o.scripts, o.python, o.crates
}

// config returns a configuration file by path, reading one that has an unusual
// name; it is remembered so that its change is noticed.
func (r *resolver) config(p string) (string, bool) {
	if text, ok := r.configs[p]; ok {
		return text, true
	}
	if isConfig(p) {
		return "", false
	}
	r.outside[p] = true
	b, err := r.scanner.root.ReadFile(p, maxConfigSize)
	return string(b), err == nil
}

// has reports whether p is a mapped file.
func (r *resolver) has(p string) bool { return r.files[p] != nil }

// firstOf returns the first mapped file of several candidates.
func (r *resolver) firstOf(candidates ...string) string {
	for _, p := range candidates {
		if r.has(p) {
			return p
		}
	}
	return ""
}

// resolve returns c with its imports' files and its edges filled in.
func (r *resolver) resolve(c *Chunk) *Chunk {
	out := *c
	out.Imports = slices.Clone(c.Imports)
	deps := map[string]bool{}
	for i := range out.Imports {
		imp := &out.Imports[i]
		imp.Paths = r.paths(c, imp.Import)
		for _, p := range r.narrowed(c, *imp) {
			deps[p] = true
		}
	}
	for _, p := range r.samePackage(c) {
		deps[p] = true
	}
	delete(deps, c.Path)
	out.deps = slices.Sorted(maps.Keys(deps))
	return &out
}

// paths returns the files one import leads to, sorted.
func (r *resolver) paths(c *Chunk, imp syntax.Import) []string {
	var found []string
	switch c.Language {
	case syntax.Go:
		found = r.goPackage(c, imp.Spec)
	case syntax.TypeScript, syntax.TSX, syntax.JavaScript:
		if p := r.script(c.Path, imp.Spec); p != "" {
			found = []string{p}
		}
	case syntax.Python:
		found = r.pythonImport(c.Path, imp)
	case syntax.Rust:
		found = r.rustPath(c, imp)
	}
	slices.Sort(found)
	return slices.Compact(found)
}
