package imports

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// pythonRoots holds the folders from which absolute imports may start, sorted: the top, each folder with a project
// file, its src folder, and the folder above each outermost package.
type pythonRoots []string

func readPythonRoots(r *Resolver) pythonRoots {
	roots := map[string]bool{"": true}
	for p, text := range r.configs.Texts {
		switch path.Base(p) {
		case "setup.py", "setup.cfg":
			roots[dirOf(p)] = true
		case "pyproject.toml":
			roots[dirOf(p)] = true
			for _, dir := range projectRoots(text) {
				if q, ok := joinInside(dirOf(p), dir); ok && r.isFolder(q) {
					roots[q] = true
				}
			}
		}
	}
	for _, root := range slices.Collect(maps.Keys(roots)) {
		for _, sub := range []string{"src", "lib", "python"} {
			if dir := path.Join(root, sub); r.isFolder(dir) {
				roots[dir] = true
			}
		}
	}
	for _, p := range r.layout.paths {
		if path.Base(p) == "__init__.py" {
			roots[r.packageRoot(dirOf(p))] = true
		}
	}
	return slices.Sorted(maps.Keys(roots))
}

// projectRoots returns the folders that contain modules according to a pyproject.toml: setuptools' where and
// package-dir, poetry's from, hatch's sources, and pytest's added paths.
func projectRoots(text string) []string {
	var out []string
	for key, v := range tomlStrings(text) {
		parts := strings.Split(key, "\x00")
		if len(parts) < 3 || parts[0] != "tool" {
			continue
		}
		switch last := parts[len(parts)-1]; parts[1] {
		case "setuptools":
			if last == "where" || parts[2] == "package-dir" {
				out = append(out, v...)
			}
		case "poetry":
			if last == "from" && parts[2] == "packages" {
				out = append(out, v...)
			}
		case "hatch":
			if last == "sources" {
				out = append(out, v...)
			}
		case "pytest":
			if last == "pythonpath" {
				out = append(out, v...)
			}
		}
	}
	return out
}

// packageRoot returns the folder above the outermost package that contains dir.
func (r *Resolver) packageRoot(dir string) string {
	for dir != "" && (r.has(path.Join(dir, "__init__.py")) || r.has(path.Join(dir, "__init__.pyi"))) {
		dir = dirOf(dir)
	}
	return dir
}

// pythonImport resolves one import statement of a file: the module, and those imported names that are submodules.
func (r *Resolver) pythonImport(from string, imp syntax.Import) Target {
	found := r.pythonFiles(from, imp)
	switch {
	case len(found) > 0:
		slices.Sort(found)
		return Target{Paths: slices.Compact(found)}
	case strings.HasPrefix(imp.Spec, "."):
		return Target{Reason: Missing}
	case r.ownPackage(from, imp.Spec):
		return Target{Reason: Missing}
	}
	return Target{Reason: External}
}

// ownPackage reports whether an absolute import begins with a package of the folder that the file can import.
func (r *Resolver) ownPackage(from, spec string) bool {
	first, _, _ := strings.Cut(spec, ".")
	return !pythonStandard[first] && r.pythonFiles(from, syntax.Import{Spec: first}) != nil
}

// pythonFiles returns the files of an import.
func (r *Resolver) pythonFiles(from string, imp syntax.Import) []string {
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
		return r.pythonModule(from, path.Join(dir, module), imp.Names)
	}
	roots := r.rootsFor(from)
	if first, _, _ := strings.Cut(module, "/"); pythonStandard[first] {
		root := r.packageRoot(dirOf(from))
		own := path.Join(root, first)
		if r.firstOf(own+".py", own+".pyi", path.Join(own, "__init__.py"), path.Join(own, "__init__.pyi")) == "" {
			return nil // Python tries a folder without __init__.py only after all regular modules
		}
		roots = []string{root}
	}
	for _, root := range roots {
		if found := r.pythonModule(from, path.Join(root, module), imp.Names); found != nil {
			return found
		}
	}
	return nil
}

// rootsFor orders the roots for a file: those above it, nearest first, then the others. A script's own folder
// comes first, as in Python. Packages without __init__.py do not tell their root: it may be any folder above the
// file, where the program of a service runs. The folders of the file's own package come last.
func (r *Resolver) rootsFor(from string) []string {
	dir := dirOf(from)
	if roots, ok := r.rootsOf[dir]; ok {
		return roots
	}
	var above, others []string
	for _, root := range r.python {
		if _, ok := under(dir, root); ok {
			above = append(above, root)
		} else {
			others = append(others, root)
		}
	}
	slices.SortFunc(above, func(a, b string) int { return len(b) - len(a) })
	root, inner := r.packageRoot(dir), []string(nil)
	if root == dir && !slices.Contains(above, dir) {
		above = slices.Insert(above, 0, dir)
	}
	for up := range upwards(dir) {
		if _, outside := under(root, up); outside {
			above = append(above, up)
		} else {
			inner = append(inner, up)
		}
	}
	roots := slices.Concat(above, others, inner)
	r.rootsOf[dir] = roots
	return roots
}

// pythonModule returns the files of a module at base, and of the imported names that are modules themselves.
func (r *Resolver) pythonModule(from, base string, names []string) []string {
	var found []string
	own := r.firstOf(base+".py", base+".pyi", path.Join(base, "__init__.py"), path.Join(base, "__init__.pyi"))
	needOwn := len(names) == 0
	for _, name := range names {
		sub := ""
		if name != "*" {
			p := path.Join(base, strings.ReplaceAll(name, ".", "/"))
			sub = r.firstOf(p+".py", p+".pyi", path.Join(p, "__init__.py"), path.Join(p, "__init__.pyi"))
		}
		if sub != "" && own != base+".py" && !r.binds(own, from, name) {
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

// binds reports whether a package's own code binds a name to something other than its submodule of that name.
// Python prefers that binding. The package itself can still import its submodules while it runs.
func (r *Resolver) binds(pkg, from, name string) bool {
	f := r.file(pkg)
	if f == nil || pkg == from {
		return false
	}
	if definesName(f, name) {
		return true
	}
	dir := strings.ReplaceAll(dirOf(pkg), "/", ".")
	return slices.ContainsFunc(f.Imports, func(imp syntax.Import) bool {
		return slices.Contains(imp.Names, name) && imp.Spec != "." && imp.Spec != dir && !strings.HasSuffix(dir, "."+imp.Spec)
	})
}
