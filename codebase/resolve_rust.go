package codebase

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// crates are the packages of the folder, by their name in Rust code.
type crates struct {
	byName map[string]crate
	byDir  map[string]crate
	libs   map[string]bool // the root files
}

// crate is one Cargo.toml with a package.
type crate struct {
	dir string
	lib string // its library's root file
}

// readCrates reads the two keys of each Cargo.toml that matter. Members of a
// workspace need no list: each has its own file.
func readCrates(configs map[string]string) crates {
	c := crates{map[string]crate{}, map[string]crate{}, map[string]bool{}}
	for _, p := range slices.Sorted(maps.Keys(configs)) {
		if path.Base(p) != "Cargo.toml" {
			continue
		}
		values := tomlStrings(configs[p])
		name := values["lib.name"]
		if name == "" {
			name = values["package.name"]
		}
		k := crate{dir: dirOf(p), lib: path.Join(dirOf(p), "src/lib.rs")}
		if lib := values["lib.path"]; lib != "" {
			if q, ok := joinInside(k.dir, lib); ok {
				k.lib = q
			}
		}
		if name != "" {
			c.byName[strings.ReplaceAll(name, "-", "_")] = k
			c.byDir[k.dir] = k
			c.libs[k.lib] = true
		}
	}
	return c
}

// tomlStrings reads the plain string values of a TOML file, as "table.key".
func tomlStrings(text string) map[string]string {
	values := map[string]string{}
	table := ""
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			table = strings.TrimSpace(strings.Trim(strings.SplitN(line, "#", 2)[0], "[] \t"))
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		value = strings.TrimSpace(value)
		if !ok || value == "" || value[0] != '"' && value[0] != '\'' {
			continue
		}
		if end := strings.IndexByte(value[1:], value[0]); end >= 0 {
			values[table+"."+strings.TrimSpace(key)] = value[1 : 1+end]
		}
	}
	return values
}

// A Rust module is named here by the folder that holds its child modules: the
// module of src/net.rs and src/net/mod.rs is src/net, that of a crate is the
// folder of its root file.

// rustFolder returns the module folder of a file.
func (r *resolver) rustFolder(p string) string {
	switch base := path.Base(p); {
	case base == "mod.rs", r.isCrateRoot(p):
		return dirOf(p)
	default:
		return strings.TrimSuffix(p, ".rs")
	}
}

// rootFolders hold files that are each a crate of their own.
var rootFolders = setOf("bin", "tests", "examples", "benches")

func (r *resolver) isCrateRoot(p string) bool {
	base, dir := path.Base(p), dirOf(p)
	if base == "lib.rs" || base == "main.rs" || base == "build.rs" || r.crates.libs[p] {
		return true
	}
	if !rootFolders[path.Base(dir)] {
		return false
	}
	up := dirOf(dir)
	if path.Base(dir) == "bin" && path.Base(up) == "src" {
		up = dirOf(up)
	}
	_, ok := r.crates.byDir[up]
	return ok
}

// moduleFile returns the file of the module at a folder.
func (r *resolver) moduleFile(dir string) string {
	return r.firstOf(dir+".rs", path.Join(dir, "mod.rs"), path.Join(dir, "lib.rs"), path.Join(dir, "main.rs"))
}

// crateRoot returns the folder of the crate that a module folder belongs to: the
// closest one above with a root file.
func (r *resolver) crateRoot(dir string) string {
	for d := dir; ; d = dirOf(d) {
		if r.has(path.Join(d, "lib.rs")) || r.has(path.Join(d, "main.rs")) {
			return d
		}
		if _, ok := r.crates.byDir[d]; ok || d == "" {
			return dir
		}
	}
}

// rustPath resolves a use path or a mod declaration.
func (r *resolver) rustPath(c *Chunk, imp syntax.Import) []string {
	here := r.rustFolder(c.Path)
	inline := inlineModules(c, imp.At)
	for _, name := range inline {
		here = path.Join(here, name)
	}
	if imp.Kind == syntax.ImportChild {
		return notEmpty(r.firstOf(path.Join(here, imp.Spec)+".rs", path.Join(here, imp.Spec, "mod.rs")))
	}
	segments := strings.Split(strings.TrimPrefix(imp.Spec, "::"), "::")
	start, rest, ok := r.rustStart(c, here, segments)
	if !ok {
		return nil
	}
	return notEmpty(r.rustWalk(c, start, rest))
}

func notEmpty(p string) []string {
	if p == "" {
		return nil
	}
	return []string{p}
}

// inlineModules returns the names of the modules with a body around a position.
func inlineModules(c *Chunk, at syntax.Span) []string {
	var names []string
	for i := range c.Symbols {
		if s := &c.Symbols[i]; s.Kind == syntax.Module && s.Body.Contains(at) && s.Body.Len() > 0 {
			names = append(names, s.Name)
		}
	}
	return names
}

// rustStart resolves the beginning of a path to a module folder.
func (r *resolver) rustStart(c *Chunk, here string, segments []string) (dir string, rest []string, ok bool) {
	switch segments[0] {
	case "crate":
		return r.crateRoot(r.rustFolder(c.Path)), segments[1:], true
	case "self":
		return here, segments[1:], true
	case "super":
		for len(segments) > 0 && segments[0] == "super" {
			here, segments = dirOf(here), segments[1:]
		}
		return here, segments, true
	}
	if child := path.Join(here, segments[0]); r.firstOf(child+".rs", path.Join(child, "mod.rs")) != "" {
		return here, segments, true
	}
	if k, ok := r.crates.byName[segments[0]]; ok && r.has(k.lib) {
		return dirOf(k.lib), segments[1:], true
	}
	return "", nil, false
}

// rustWalk follows a path's modules as far as there are files for them.
func (r *resolver) rustWalk(c *Chunk, dir string, segments []string) string {
	for _, s := range segments {
		child := path.Join(dir, s)
		if r.firstOf(child+".rs", path.Join(child, "mod.rs")) == "" && !r.parents[child] {
			break
		}
		dir = child
	}
	if dir == r.rustFolder(c.Path) {
		return c.Path
	}
	// An inline module has no file of its own: it is in that of its parent.
	for d := dir; ; d = dirOf(d) {
		if p := r.moduleFile(d); p != "" {
			return p
		}
		if d == "" || d == dirOf(c.Path) {
			return ""
		}
	}
}
