package imports

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// crates are the packages of the folder and the root files of their crates.
type crates struct {
	byDir  map[string]*crate
	byName map[string]*crate   // as Rust code writes the library's name
	roots  map[string]bool     // files that are named as roots in a Cargo.toml
	byRoot map[string][]string // folder → such files directly in it, libraries first
}

// crate is one Cargo.toml with a package.
type crate struct {
	name string // of its library, in Rust code
	lib  string // its library's root file
	old  bool   // edition 2015: use paths begin at the crate's root
	deps map[string]dependency
}

// dependency is a crate as one package names it.
type dependency struct {
	dir   string // of the crate; only if local
	local bool
}

// readCrates reads every Cargo.toml of the folder. Members of a workspace need no
// list: each has its own file.
func readCrates(configs map[string]string) crates {
	c := crates{map[string]*crate{}, map[string]*crate{}, map[string]bool{}, map[string][]string{}}
	manifests := map[string]map[string][]string{}
	for p, text := range configs {
		if path.Base(p) == "Cargo.toml" {
			manifests[dirOf(p)] = tomlStrings(text)
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(manifests)) {
		values := manifests[dir]
		name := tomlString(values, "package", "name")
		if name == "" {
			continue
		}
		k := &crate{name: crateName(name), lib: path.Join(dir, "src/lib.rs")}
		if lib := tomlString(values, "lib", "name"); lib != "" {
			k.name = crateName(lib)
		}
		if q, ok := joinInside(dir, tomlString(values, "lib", "path")); ok && q != dir {
			k.lib = q
		}
		edition := tomlString(values, "package", "edition")
		k.old = edition == "2015" || edition == "" && values[tomlKey("package", "edition", "workspace")] == nil
		k.deps = dependencies(dir, values, manifests)
		c.byDir[dir] = k
		if _, taken := c.byName[k.name]; !taken {
			c.byName[k.name] = k
		}
		c.addRoot(k.lib)
		for key, v := range values {
			parts := strings.Split(key, "\x00")
			isTarget := len(parts) == 3 && parts[2] == "path" && targetTables[parts[0]]
			if q, ok := joinInside(dir, v[0]); ok && (isTarget || key == tomlKey("package", "build")) {
				c.addRoot(q)
			}
		}
	}
	for _, files := range c.byRoot {
		slices.SortStableFunc(files[1:], strings.Compare)
	}
	return c
}

// targetTables are the arrays of tables that name crates besides the library.
var targetTables = setOf("bin", "test", "bench", "example")

// addRoot notes a root file; a package's library comes first.
func (c *crates) addRoot(p string) {
	if !c.roots[p] {
		c.roots[p] = true
		c.byRoot[dirOf(p)] = append(c.byRoot[dirOf(p)], p)
	}
}

// crateName is a package's name in Rust code.
func crateName(s string) string { return strings.ReplaceAll(s, "-", "_") }

// dependencies reads the tables of dependencies of a manifest, with what they
// inherit from the workspace above and what that replaces.
func dependencies(dir string, values map[string][]string, manifests map[string]map[string][]string) map[string]dependency {
	out := map[string]dependency{}
	rootDir, root := dir, values
	for d := range upwards(dir) {
		if isWorkspace(manifests[d]) {
			rootDir, root = d, manifests[d]
			break
		}
	}
	for key := range values {
		table, name, field := dependencyKey(key)
		if table == "" {
			continue
		}
		at, from := values, dir
		prefix := strings.TrimSuffix(key, tomlKey("", field))
		if field == "" {
			prefix = key
		}
		if tomlString(values, prefix, "workspace") == "true" {
			at, from, prefix = root, rootDir, tomlKey("workspace", "dependencies", name)
		}
		as := crateName(name)
		if to, ok := joinInside(from, tomlString(at, prefix, "path")); ok && tomlString(at, prefix, "path") != "" {
			out[as] = dependency{to, true}
			continue
		}
		pkg := tomlString(at, prefix, "package")
		if pkg == "" {
			pkg = name
		}
		if to, ok := joinInside(rootDir, tomlString(root, "patch", "crates-io", pkg, "path")); ok && to != rootDir {
			out[as] = dependency{to, true}
		} else if !out[as].local {
			out[as] = dependency{}
		}
	}
	return out
}

func isWorkspace(values map[string][]string) bool {
	for key := range values {
		if strings.HasPrefix(key, "workspace\x00") || strings.HasPrefix(key, "patch\x00") {
			return true
		}
	}
	return false
}

// dependencyKey takes a key of a dependency apart: dependencies.NAME(.FIELD), or
// that below target.CONDITION; table "" if it is none.
func dependencyKey(key string) (table, name, field string) {
	parts := strings.Split(key, "\x00")
	if len(parts) > 2 && parts[0] == "target" {
		parts = parts[2:]
	}
	if len(parts) < 2 || len(parts) > 3 || !dependencyTables[parts[0]] {
		return "", "", ""
	}
	if len(parts) == 3 {
		field = parts[2]
	}
	return parts[0], parts[1], field
}

var dependencyTables = setOf("dependencies", "dev-dependencies", "build-dependencies")
