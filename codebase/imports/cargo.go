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
	byName map[string]*crate   // by the library's name in Rust code
	roots  map[string]bool     // files that a Cargo.toml names as roots
	byRoot map[string][]string // folder → the root files directly in it, libraries first
}

// crate is one Cargo.toml with a package.
type crate struct {
	name string // of its library, as Rust code writes it
	lib  string // its library's root file
	old  bool   // edition 2015: paths of use begin at the crate's root
	deps map[string]dependency
}

// dependency is a crate as one package names it.
type dependency struct {
	dir   string // of the crate; only if local
	local bool
}

// readCrates reads every Cargo.toml of the folder. The list of a workspace's members is not needed, since each
// member has its own file.
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

// targetTables names the arrays of tables that list crates besides the library.
var targetTables = setOf("bin", "test", "bench", "example")

// addRoot records a root file. A package's library comes first.
func (c *crates) addRoot(p string) {
	if !c.roots[p] {
		c.roots[p] = true
		c.byRoot[dirOf(p)] = append(c.byRoot[dirOf(p)], p)
	}
}

// crateName returns a package's name as Rust code writes it.
func crateName(s string) string { return strings.ReplaceAll(s, "-", "_") }

// dependencies reads the tables of dependencies in a manifest. It adds the parts that are inherited from the
// workspace above, and the replacements there.
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

// dependencyKey splits the key of a dependency: dependencies.NAME(.FIELD), or the same below target.CONDITION.
// table is "" for other keys.
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
