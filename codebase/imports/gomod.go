package imports

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// goModule is one go.mod. The import paths below prefix are folders below dir.
type goModule struct {
	dir      string
	prefix   string
	replaced map[string]replacement // by module path
	required map[string]bool        // module paths
	used     bool                   // named by a go.work
}

// replacement is the place that a replace directive gives a module.
type replacement struct {
	dir    string
	inside bool // dir is inside the folder; otherwise the module is elsewhere
}

// goModules holds all modules of the folder, including nested ones.
type goModules struct {
	byDir    map[string]*goModule
	byPrefix map[string][]*goModule // in the order of their folders
	replaced map[string]replacement // by go.work, for all its modules
}

// goStd and goCommands are the modules of the Go tree itself. The packages of goStd have no prefix.
const (
	goStd      = "std"
	goCommands = "cmd"
)

func readGoModules(configs map[string]string) goModules {
	mods := goModules{map[string]*goModule{}, map[string][]*goModule{}, map[string]replacement{}}
	used := map[string]bool{}
	for _, p := range slices.Sorted(maps.Keys(configs)) {
		switch path.Base(p) {
		case "go.mod":
			if m, ok := parseGoMod(dirOf(p), configs[p]); ok {
				mods.byDir[m.dir] = m
				mods.byPrefix[m.prefix] = append(mods.byPrefix[m.prefix], m)
			}
		case "go.work":
			for _, fields := range directives(configs[p], "use") {
				if dir, ok := joinInside(dirOf(p), fields[0]); ok {
					used[dir] = true
				}
			}
			maps.Copy(mods.replaced, replacements(dirOf(p), configs[p]))
		}
	}
	for dir, m := range mods.byDir {
		m.used = used[dir]
	}
	return mods
}

func parseGoMod(dir, text string) (*goModule, bool) {
	m := &goModule{dir: dir, replaced: replacements(dir, text), required: map[string]bool{}}
	for _, fields := range directives(text, "module") {
		m.prefix = fields[0]
	}
	for _, fields := range directives(text, "require") {
		m.required[fields[0]] = true
	}
	return m, m.prefix != ""
}

// replacements reads the replace directives of a go.mod or go.work in dir.
func replacements(dir, text string) map[string]replacement {
	out := map[string]replacement{}
	for _, fields := range directives(text, "replace") {
		arrow := slices.Index(fields, "=>")
		if arrow < 1 || arrow+1 >= len(fields) {
			continue
		}
		to := fields[arrow+1]
		if !strings.HasPrefix(to, ".") && !path.IsAbs(to) {
			continue // another version or fork of the module
		}
		var r replacement
		r.dir, r.inside = joinInside(dir, to)
		out[fields[0]] = r
	}
	return out
}

// directives returns the arguments of each directive of a go.mod or go.work
// file, single or in a block.
func directives(text, name string) [][]string {
	var out [][]string
	in, other := false, false
	for line := range strings.SplitSeq(text, "\n") {
		line, _, _ = strings.Cut(line, "//")
		fields := strings.Fields(line)
		for i := range fields {
			fields[i] = strings.Trim(fields[i], "\"`")
		}
		switch {
		case len(fields) == 0:
		case fields[0] == ")":
			in, other = false, false
		case in:
			out = append(out, fields)
		case other:
		case len(fields) > 1 && fields[1] == "(":
			in, other = fields[0] == name, fields[0] != name
		case fields[0] == name && len(fields) > 1:
			out = append(out, fields[1:])
		}
	}
	return out
}

// folderOf returns the folder of an import path, as a file resolves it. Of all modules and replacements, the one
// with the longest path counts. A module that go.mod requires and that is not in the folder hides modules with
// shorter paths.
func (mods *goModules) folderOf(from, importPath string) (string, bool) {
	home, has := nearest(mods.byDir, dirOf(from))
	if !has {
		home = &goModule{dir: dirOf(from)}
	}
	for prefix := importPath; prefix != ""; prefix = dirOf(prefix) {
		rest := strings.TrimPrefix(importPath[len(prefix):], "/")
		for _, replaced := range []map[string]replacement{home.replaced, mods.replaced} {
			if to, ok := replaced[prefix]; ok {
				return path.Join(to.dir, rest), to.inside
			}
		}
		if m := mods.named(prefix, home); m != nil {
			return path.Join(m.dir, rest), true
		}
		if home.required[prefix] {
			return "", false
		}
	}
	if home.prefix == goStd || home.prefix == goCommands {
		if std := mods.byPrefix[goStd]; len(std) > 0 {
			return path.Join(std[0].dir, importPath), true
		}
	}
	return "", false
}

// named returns the module of a path for code in home: home itself, or else a module that a go.work names, or else
// the first. A path whose first segment has no dot belongs to the standard library, unless a go.work or home's
// go.mod names the module.
func (mods *goModules) named(prefix string, home *goModule) *goModule {
	var best *goModule
	for _, m := range mods.byPrefix[prefix] {
		switch {
		case m == home:
			return m
		case best == nil || m.used && !best.used:
			best = m
		}
	}
	first, _, _ := strings.Cut(prefix, "/")
	if best != nil && !strings.Contains(first, ".") && !best.used && !home.required[prefix] {
		return nil
	}
	return best
}
