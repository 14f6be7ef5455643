// Package imports finds the files that imports lead to.
//
// It knows only the files of a map and the texts of its configuration files (go.mod, tsconfig.json, package.json,
// Cargo.toml, …). It uses no compiler, no package manager and no installed dependency. For an import that leads to
// no file, it gives the reason.
//
// A [Resolver] is made for one set of files. [New] reuses the data of an earlier resolver if the configuration is
// the same. Only one goroutine may use a resolver at a time.
//
// Paths are slash-separated and relative to the folder; "" is the folder itself.
//
// The files of the package:
//
//   - imports.go, edges.go: resolution, and the edges of the graph that an import makes;
//     reexport.go: names that a file passes on
//   - layout.go, indexes.go, suffix.go: the places of files, the indexes for finding them,
//     and the parts of these that stay valid after an edit
//   - script*.go, tsconfig.go, tsproject.go, package.go, workspace.go: TypeScript and JavaScript
//   - python*.go; rust*.go and cargo.go; golang.go and gomod.go
//   - packages.go, packagefind.go, packageedges.go: languages that declare packages;
//     jvm.go, csharp.go, php.go, swift.go: the additions for each
//   - clang*.go and compiledb.go; proto.go, lua.go, bash.go, ruby.go, terraform.go
//   - json.go, toml.go, yaml.go, paths.go: the formats of configuration files
package imports

import (
	"path"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// File holds the parts of a source file that resolution needs. It is not changed.
type File struct {
	Path     string
	Language syntax.Language
	Module   string // the name it gives its package or module
	Imports  []syntax.Import
	Defines  []terms.Term // names defined at its top level, by [terms.Name]; sorted, distinct
	Names    []terms.Term // all names that it defines
	Inline   []Inline     // Rust's modules with a body
	Uses     []Use        // names that it uses; sorted, distinct
}

// Inline is a module that has no file of its own.
type Inline struct {
	Name string
	Body syntax.Span
}

// Use is a name that a file uses, with the qualifier before its dot. Both are by [terms.Name]. Qualifier is 0 if
// there is none.
type Use struct{ Qualifier, Name terms.Term }

// Target is the result of resolving one import.
type Target struct {
	Paths  []string // sorted
	Reason Reason   // "" if there are Paths
}

// Reason is why an import leads to no file.
type Reason string

// The reasons.
const (
	External Reason = "external" // a package that is not part of the folder
	Missing  Reason = "missing"  // it names a place in the folder without a mapped file
	Asset    Reason = "asset"    // a file of the folder that is not code: a style sheet, JSON, an image
	Dynamic  Reason = "dynamic"  // the program computes the name when it runs
	Unclear  Reason = "unclear"  // several files match, and it is unclear which one is meant
)

// Links are the imports of a file, resolved.
type Links struct {
	Targets []Target // by index of File.Imports
	Files   []string // the files it depends on: sorted, without itself
}

// Resolver finds the files that imports lead to.
type Resolver struct {
	configs Configs
	layout  *layout
	sorted  []*File // by path; a file's place in it is its fileID
	indexes indexes // filled when needed

	unboundOf    *File // the file that unboundNames belongs to
	unboundNames []terms.Term

	targets map[string][]Target        // by path, filled when needed
	rootsOf map[string][]string        // Python's roots for files of a folder, filled when needed
	sources map[wanted]string          // the files that names come from, filled when needed
	reaches map[string]reach           // the names that barrels pass on, filled when needed
	globals map[string][]syntax.Import // files that C#'s projects use everywhere, by folder, filled when needed
	modules map[string]string          // the files of C++'s modules, by name, filled when needed

	pythonNeeds []string // see pythonNeeds, filled when needed

	// The content of the configuration files, and for Python the existing files.
	outside   map[string]outsideText // configuration files with unusual names that others extend
	goModules goModules
	scripts   scriptConfigs
	python    pythonRoots
	crates    crates
	composer  composer
	compile   compileCommands
}

// Configs holds the configuration files of the folder.
type Configs struct {
	Texts map[string]string // by path; the files for which IsConfig is true
	// Read returns a file that another configuration file names. If it is nil, no such file can be read.
	Read func(path string) (string, error)
}

// configNames holds the files besides tsconfig and jsconfig that determine how imports resolve.
var configNames = setOf("go.mod", "go.work", "package.json", "pnpm-workspace.yaml", "Cargo.toml", "pyproject.toml", "setup.py",
	"setup.cfg",
	"composer.json", "compile_commands.json", "deno.json", "deno.jsonc", "import_map.json", "Directory.Build.props")

func setOf(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

// IsConfig reports whether a file of this name determines how imports resolve.
func IsConfig(p string) bool {
	base := path.Base(p)
	if configNames[base] {
		return true
	}
	return strings.HasSuffix(base, ".csproj") || isRequirements(base) ||
		strings.HasSuffix(base, ".json") && (strings.HasPrefix(base, "tsconfig") || strings.HasPrefix(base, "jsconfig"))
}

// Reads reports whether a path for which IsConfig is false was read as a configuration file.
func (r *Resolver) Reads(p string) bool {
	_, ok := r.outside[p]
	return ok
}

// outsideText is a configuration file as it was read.
type outsideText struct {
	text string
	ok   bool
}

// Fresh reports whether the files for which [Resolver.Reads] is true are unchanged since they were read.
func (r *Resolver) Fresh() bool {
	for p, was := range r.outside {
		if text, err := r.configs.Read(p); (outsideText{text, err == nil}) != was {
			return false
		}
	}
	return true
}

// config returns a configuration file by path. A file with an unusual name is read and remembered, so that changes
// to it are noticed.
func (r *Resolver) config(p string) (string, bool) {
	if text, ok := r.configs.Texts[p]; ok {
		return text, true
	}
	if IsConfig(p) || r.configs.Read == nil {
		return "", false
	}
	text, err := r.configs.Read(p)
	r.outside[p] = outsideText{text, err == nil}
	return text, err == nil
}

// has reports whether p is the path of a mapped file.
func (r *Resolver) has(p string) bool {
	_, ok := r.layout.ids[p]
	return ok
}

// file returns the mapped file of a path, nil if there is none.
func (r *Resolver) file(p string) *File {
	if id, ok := r.layout.ids[p]; ok {
		return r.sorted[id]
	}
	return nil
}

// firstOf returns the first candidate that is a mapped file.
func (r *Resolver) firstOf(candidates ...string) string {
	for _, p := range candidates {
		if r.has(p) {
			return p
		}
	}
	return ""
}
