package imports

import (
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// A Rust module is identified here by the folder of its child modules: src/net for src/net.rs and for
// src/net/mod.rs, and the folder of the root file for a crate. The crate itself is identified by its root file,
// since two crates may share a folder. An inline module has the folder that it would have as a file.

// module is the module to which a path has led so far.
type module struct {
	root string // the crate's root file
	dir  string // the module's folder
	file string // the file that contains its text
}

// rootFolders are folders in which each file is a crate of its own.
var rootFolders = setOf("bin", "tests", "examples", "benches")

func (r *Resolver) isCrateRoot(p string) bool {
	if r.crates.roots[p] {
		return true
	}
	base, dir := path.Base(p), dirOf(p)
	if base == "lib.rs" || base == "build.rs" || base == "main.rs" {
		return true
	}
	if !rootFolders[path.Base(dir)] {
		return false
	}
	up := dirOf(dir)
	if path.Base(dir) == "bin" && path.Base(up) == "src" {
		up = dirOf(up)
	}
	return r.crates.byDir[up] != nil
}

// rustFolder returns the module folder of a file.
func (r *Resolver) rustFolder(p string) string {
	if path.Base(p) == "mod.rs" || r.isCrateRoot(p) {
		return dirOf(p)
	}
	return strings.TrimSuffix(p, ".rs")
}

// rootsIn returns the root files directly in a folder, libraries first.
func (r *Resolver) rootsIn(dir string) []string {
	var out []string
	for _, p := range r.crates.byRoot[dir] {
		if r.has(p) {
			out = append(out, p)
		}
	}
	for _, name := range []string{"lib.rs", "main.rs"} {
		if p := path.Join(dir, name); r.has(p) && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// rootOf returns the root file of the crate to which a file belongs. It looks at the closest folder above that has
// root files, and takes the one that declares the module below.
func (r *Resolver) rootOf(p string) string {
	if r.isCrateRoot(p) {
		return p
	}
	dir := r.rustFolder(p)
	for dir != "" {
		name := path.Base(dir)
		dir = dirOf(dir)
		roots := r.rootsIn(dir)
		for _, root := range roots {
			if declares(r.file(root), name) {
				return root
			}
		}
		if len(roots) > 0 {
			return roots[0]
		}
		if rootFolders[path.Base(dir)] && r.crates.byDir[dirOf(dir)] != nil {
			return r.sharedBy(dir, name, p)
		}
	}
	return p
}

// sharedBy returns the first file in a folder of test crates that declares a module of this name, or p if none
// does.
func (r *Resolver) sharedBy(dir, name, p string) string {
	for _, id := range r.layout.folders[dir].files {
		if f := r.sorted[id]; declares(f, name) {
			return f.Path
		}
	}
	return p
}

// declares reports whether a file contains the declaration "mod name;".
func declares(f *File, name string) bool {
	return slices.ContainsFunc(f.Imports, func(i syntax.Import) bool { return i.Kind == syntax.ImportChild && i.Spec == name })
}

// childModule returns the module of this name directly below m.
func (r *Resolver) childModule(m module, name string) (module, bool) {
	name = strings.TrimPrefix(name, "r#")
	child := module{root: m.root, dir: path.Join(m.dir, name)}
	if child.file = r.firstOf(child.dir+".rs", path.Join(child.dir, "mod.rs")); child.file != "" && child.file != m.root {
		return child, true
	}
	f := r.file(m.file)
	if f == nil {
		return m, false
	}
	depth := strings.Count(strings.TrimPrefix(m.dir, r.rustFolder(m.file)), "/")
	for _, in := range f.Inline {
		if in.Name == name && len(inlineModules(f, in.Body))-1 == depth {
			child.file = m.file
			return child, true
		}
	}
	for _, imp := range f.Imports { // #[path = "…"] mod name;
		if imp.Kind == syntax.ImportChild && imp.Spec == name && len(imp.Names) > 0 {
			if p, ok := joinInside(dirOf(m.file), imp.Names[0]); ok && r.has(p) {
				return module{m.root, dirOf(p), p}, true
			}
		}
	}
	return m, false
}

// parentModule returns the module above m, or m itself at the top of a crate.
func (r *Resolver) parentModule(m module) module {
	top := dirOf(m.root)
	if m.dir == top || m.dir == "" {
		return m
	}
	if f := r.file(m.file); f != nil && r.rustFolder(m.file) != m.dir && m.file != m.root {
		return module{m.root, dirOf(m.dir), m.file} // m is an inline module
	}
	up := module{root: m.root, dir: dirOf(m.dir)}
	switch up.file = r.firstOf(up.dir+".rs", path.Join(up.dir, "mod.rs")); {
	case up.dir == top:
		up.file = m.root
	case up.file == "":
		return r.bodyAbove(up)
	}
	return up
}

// bodyAbove finds the file of a module whose own file is missing: that of the closest module above.
func (r *Resolver) bodyAbove(m module) module {
	for dir := dirOf(m.dir); ; dir = dirOf(dir) {
		if dir == dirOf(m.root) || dir == "" {
			m.file = m.root
			return m
		}
		if p := r.firstOf(dir+".rs", path.Join(dir, "mod.rs")); p != "" {
			m.file = p
			return m
		}
	}
}

// inlineModules returns the names of the inline modules around a position, outermost first.
func inlineModules(c *File, at syntax.Span) []string {
	var names []string
	for _, m := range c.Inline {
		if m.Body.Contains(at) {
			names = append(names, m.Name)
		}
	}
	return names
}

// moduleAt returns the module that contains a position of a file.
func (r *Resolver) moduleAt(c *File, at syntax.Span) module {
	m := module{r.rootOf(c.Path), r.rustFolder(c.Path), c.Path}
	for _, name := range inlineModules(c, at) {
		m.dir = path.Join(m.dir, name)
	}
	return m
}
