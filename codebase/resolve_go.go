package codebase

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// goModule is one go.mod: the import paths under prefix are folders under dir.
type goModule struct {
	dir      string
	prefix   string
	replaced map[string]string // import path → folder, for local replacements
	used     bool              // named by a go.work
}

// goModules are all modules of the folder, nested ones included.
type goModules []goModule

func readGoModules(configs map[string]string) goModules {
	var mods goModules
	used := map[string]bool{}
	for _, p := range slices.Sorted(maps.Keys(configs)) {
		switch path.Base(p) {
		case "go.mod":
			if m, ok := parseGoMod(dirOf(p), configs[p]); ok {
				mods = append(mods, m)
			}
		case "go.work":
			for _, fields := range directives(configs[p], "use") {
				if dir, ok := joinInside(dirOf(p), fields[0]); ok {
					used[dir] = true
				}
			}
		}
	}
	for i := range mods {
		mods[i].used = used[mods[i].dir]
	}
	return mods
}

func parseGoMod(dir, text string) (goModule, bool) {
	m := goModule{dir: dir, replaced: map[string]string{}}
	for _, fields := range directives(text, "module") {
		m.prefix = fields[0]
	}
	for _, fields := range directives(text, "replace") {
		arrow := slices.Index(fields, "=>")
		if arrow < 1 || arrow+1 >= len(fields) || !strings.HasPrefix(fields[arrow+1], ".") {
			continue
		}
		if to, ok := joinInside(dir, fields[arrow+1]); ok {
			m.replaced[fields[0]] = to
		}
	}
	return m, m.prefix != ""
}

// directives returns the arguments of each directive of a go.mod or go.work
// file, single or in a block.
func directives(text, name string) [][]string {
	var out [][]string
	in := false
	for line := range strings.SplitSeq(text, "\n") {
		line, _, _ = strings.Cut(line, "//")
		fields := strings.Fields(line)
		for i := range fields {
			fields[i] = strings.Trim(fields[i], "\"`")
		}
		switch {
		case len(fields) == 0:
		case in && fields[0] == ")":
			in = false
		case in:
			out = append(out, fields)
		case fields[0] == name && len(fields) > 1 && fields[1] == "(":
			in = true
		case fields[0] == name && len(fields) > 1:
			out = append(out, fields[1:])
		}
	}
	return out
}

// joinInside joins a relative path to a folder; ok is false if it leaves the top.
func joinInside(dir, rel string) (string, bool) {
	p := path.Join(dir, strings.ReplaceAll(rel, `\`, "/"))
	if p == ".." || strings.HasPrefix(p, "../") || path.IsAbs(rel) {
		return "", false
	}
	if p == "." {
		p = ""
	}
	return p, true
}

// folderOf returns the folder of an import path as code in module home sees it.
func (mods goModules) folderOf(from, importPath string) (string, bool) {
	home := mods.home(from)
	if home != nil {
		for prefix, dir := range home.replaced {
			if rest, ok := under(importPath, prefix); ok {
				return path.Join(dir, rest), true
			}
		}
	}
	var best *goModule
	var folder string
	for i := range mods {
		m := &mods[i]
		rest, ok := under(importPath, m.prefix)
		if m.prefix == "std" { // the standard library's own module has no prefix
			rest, ok = importPath, home == m
		}
		if ok && (best == nil || better(m, best, home)) {
			best, folder = m, path.Join(m.dir, rest)
		}
	}
	return folder, best != nil
}

// better prefers the longer prefix, then the importing file's own module, then
// one that a go.work names.
func better(a, b, home *goModule) bool {
	rank := func(m *goModule) int {
		switch {
		case m == home:
			return 2
		case m.used:
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(len(a.prefix), len(b.prefix)), cmp.Compare(rank(a), rank(b))) > 0
}

// home returns the module that holds a file: the one with the deepest folder.
func (mods goModules) home(file string) *goModule {
	var best *goModule
	for i := range mods {
		m := &mods[i]
		if _, ok := under(file, m.dir); ok && (best == nil || len(m.dir) > len(best.dir)) {
			best = m
		}
	}
	return best
}

// under returns what follows prefix and a slash in p; an empty prefix holds all.
func under(p, prefix string) (rest string, ok bool) {
	if prefix == "" || p == prefix {
		return strings.TrimPrefix(p, prefix), true
	}
	rest, ok = strings.CutPrefix(p, prefix)
	if !ok || rest[0] != '/' {
		return "", false
	}
	return rest[1:], true
}

// goPackage returns the files of the package that an import path names.
func (r *resolver) goPackage(c *Chunk, spec string) []string {
	folder, ok := r.goModules.folderOf(c.Path, spec)
	if !ok {
		return nil
	}
	var found []string
	for _, f := range r.folders[folder] {
		if f.Language == syntax.Go && !isGoTest(f.Path) {
			found = append(found, f.Path)
		}
	}
	return found
}

// use is a name that a Go file mentions, with the hash of what stands before its
// dot; 0 for nothing.
type use struct{ qualifier, name term }

// usesOf keeps what the edges between Go files need of the references.
func usesOf(lang syntax.Language, references []syntax.Reference) []use {
	if lang != syntax.Go {
		return nil
	}
	seen := map[use]bool{}
	for _, ref := range references {
		u := use{name: hashName(ref.Name)}
		if ref.Qualifier != "" {
			u.qualifier = hashName(ref.Qualifier)
		}
		seen[u] = true
	}
	return slices.SortedFunc(maps.Keys(seen), func(a, b use) int {
		return cmp.Or(cmp.Compare(a.qualifier, b.qualifier), cmp.Compare(a.name, b.name))
	})
}

// definers returns, for a folder, the Go files that define each name at their
// top level. It is made once per folder.
func (r *resolver) definers(folder string) map[term][]*Chunk {
	if index, ok := r.goNames[folder]; ok {
		return index
	}
	index := map[term][]*Chunk{}
	for _, c := range r.folders[folder] {
		if c.Language != syntax.Go {
			continue
		}
		for i := range c.Symbols {
			if s := &c.Symbols[i]; s.Container == "" {
				h := hashName(s.Name)
				index[h] = append(index[h], c)
			}
		}
	}
	r.goNames[folder] = index
	return index
}

// narrowed returns the files of an import that c really uses. For Go these are
// the files that define the names used; all of the package if there are none.
func (r *resolver) narrowed(c *Chunk, imp Import) []string {
	if c.Language != syntax.Go || len(imp.Paths) == 0 {
		return imp.Paths
	}
	qualifier := imp.Alias
	if qualifier == "" {
		qualifier = r.files[imp.Paths[0]].Module
	}
	definers := r.definers(dirOf(imp.Paths[0]))
	var found []string
	for _, u := range usesBehind(c, hashName(qualifier)) {
		for _, f := range definers[u.name] {
			if !isGoTest(f.Path) {
				found = append(found, f.Path)
			}
		}
	}
	if len(found) == 0 {
		return imp.Paths
	}
	return found
}

// usesBehind returns the names that c uses behind a qualifier.
func usesBehind(c *Chunk, qualifier term) []use {
	start, _ := slices.BinarySearchFunc(c.uses, qualifier, func(u use, q term) int { return cmp.Compare(u.qualifier, q) })
	end := start
	for end < len(c.uses) && c.uses[end].qualifier == qualifier {
		end++
	}
	return c.uses[start:end]
}

// samePackage returns the other files of a Go file's folder that define names it
// uses without a qualifier. No import says so, but the edge is as real.
func (r *resolver) samePackage(c *Chunk) []string {
	if c.Language != syntax.Go {
		return nil
	}
	var found []string
	definers := r.definers(dirOf(c.Path))
	for _, u := range usesBehind(c, 0) {
		for _, f := range definers[u.name] {
			if f.Module == c.Module && (!isGoTest(f.Path) || isGoTest(c.Path)) {
				found = append(found, f.Path)
			}
		}
	}
	return found
}

func isGoTest(p string) bool { return strings.HasSuffix(p, "_test.go") }
