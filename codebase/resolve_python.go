package codebase

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// pythonRoots are the folders that absolute imports may start from, sorted: the
// top, each folder with a project file, their src folders, and the folder above
// each outermost package.
type pythonRoots []string

func readPythonRoots(r *resolver) pythonRoots {
	roots := map[string]bool{"": true}
	for p := range r.configs {
		switch path.Base(p) {
		case "pyproject.toml", "setup.py", "setup.cfg":
			roots[dirOf(p)] = true
		}
	}
	for _, root := range slices.Collect(maps.Keys(roots)) {
		for _, sub := range []string{"src", "lib", "python"} {
			if dir := path.Join(root, sub); r.parents[dir] {
				roots[dir] = true
			}
		}
	}
	for p := range r.files {
		if path.Base(p) == "__init__.py" {
			roots[r.packageRoot(dirOf(p))] = true
		}
	}
	return slices.Sorted(maps.Keys(roots))
}

// packageRoot returns the folder above the outermost package that holds dir.
func (r *resolver) packageRoot(dir string) string {
	for dir != "" && (r.has(path.Join(dir, "__init__.py")) || r.has(path.Join(dir, "__init__.pyi"))) {
		dir = dirOf(dir)
	}
	return dir
}

// pythonImport resolves one import statement of a file: the module, and the
// submodules that the names taken from it are.
func (r *resolver) pythonImport(from string, imp syntax.Import) []string {
	dots := len(imp.Spec) - len(strings.TrimLeft(imp.Spec, "."))
	module := strings.ReplaceAll(imp.Spec[dots:], ".", "/")
	if dots > 0 {
		dir := dirOf(from)
		for range dots - 1 {
			if dir == "" {
				return nil
			}
			dir = dirOf(dir)
		}
		return r.pythonModule(path.Join(dir, module), imp.Names)
	}
	for _, root := range r.rootsFor(from) {
		if found := r.pythonModule(path.Join(root, module), imp.Names); found != nil {
			return found
		}
	}
	return nil
}

// rootsFor orders the roots for a file: those above it, nearest first, then the
// others. A script's own folder comes first: it is where Python looks.
func (r *resolver) rootsFor(from string) []string {
	dir := dirOf(from)
	var above, others []string
	for _, root := range r.python {
		if _, ok := under(from, root); ok {
			above = append(above, root)
		} else {
			others = append(others, root)
		}
	}
	slices.SortFunc(above, func(a, b string) int { return len(b) - len(a) })
	roots := slices.Concat(above, others)
	if r.packageRoot(dir) == dir && !slices.Contains(above, dir) {
		roots = slices.Insert(roots, 0, dir)
	}
	return roots
}

// pythonModule returns the files of a module at base and of the names imported
// from it that are modules themselves.
func (r *resolver) pythonModule(base string, names []string) []string {
	var found []string
	own := r.firstOf(base+".py", base+".pyi", path.Join(base, "__init__.py"), path.Join(base, "__init__.pyi"))
	needOwn := len(names) == 0
	for _, name := range names {
		sub := ""
		if name != "*" {
			p := path.Join(base, strings.ReplaceAll(name, ".", "/"))
			sub = r.firstOf(p+".py", p+".pyi", path.Join(p, "__init__.py"), path.Join(p, "__init__.pyi"))
		}
		if sub != "" && !strings.HasSuffix(own, base+".py") {
			found = append(found, sub)
		} else {
			needOwn = true
		}
	}
	if own != "" && needOwn {
		found = append(found, own)
	}
	return found
}
