package imports

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// goPackage is a folder of Go files. Build constraints are ignored, so files for other systems belong to the
// package. A program that merely shares the folder does not.
type goPackage struct {
	name     string
	paths    []string // files that are not tests, sorted
	tests    []string // tests in the package itself, not in its external test package
	definers []definer
}

// definer holds a top-level name and a file that defines it in one number. A sorted list of them for a package
// takes a tenth of the memory of a map of lists.
type definer uint64

func (d definer) file() fileID { return fileID(uint32(d)) }

// defining returns the files that define a name, sorted.
func (p *goPackage) defining(name terms.Term) []definer {
	from, _ := slices.BinarySearch(p.definers, definer(name)<<32)
	to := from
	for to < len(p.definers) && p.definers[to]>>32 == definer(name) {
		to++
	}
	return p.definers[from:to]
}

// goPackageIn returns the package of a folder. It is made once per folder.
func (r *Resolver) goPackageIn(folder string) *goPackage {
	in, ok := r.layout.folders[folder]
	if !ok {
		return &goPackage{}
	}
	if r.indexes.goPackages == nil {
		r.indexes.goPackages = make([]*goPackage, len(r.layout.folders))
	}
	if r.indexes.goPackages[in.number] == nil {
		r.indexes.goPackages[in.number] = r.newGoPackage(in.files)
	}
	return r.indexes.goPackages[in.number]
}

func (r *Resolver) newGoPackage(files []fileID) *goPackage {
	p := &goPackage{}
	var all []*File
	for _, id := range files {
		f := r.sorted[id]
		if base := path.Base(f.Path); f.Language == syntax.Go && base[0] != '_' && base[0] != '.' {
			all = append(all, f)
			for _, name := range f.Defines {
				p.definers = append(p.definers, definer(name)<<32|definer(id))
			}
		}
	}
	slices.Sort(p.definers)
	p.definers = slices.Clone(p.definers) // without spare capacity
	p.name = packageName(all)
	for _, f := range all {
		switch {
		case f.Module != p.name && f.Module != "":
		case isGoTest(f.Path):
			p.tests = append(p.tests, f.Path)
		default:
			p.paths = append(p.paths, f.Path)
		}
	}
	return p
}

// packageName returns the package name that most files of a folder declare. Names of programs and of documentation
// count only if there is no other.
func packageName(files []*File) string {
	counts := map[string]int{}
	for _, f := range files {
		if !isGoTest(f.Path) && f.Module != "" {
			counts[f.Module]++
		}
	}
	weak := func(name string) int {
		if name == "main" || name == "documentation" {
			return 1
		}
		return 0
	}
	best := ""
	for name, n := range counts {
		if best == "" || cmp.Or(cmp.Compare(weak(best), weak(name)), cmp.Compare(n, counts[best]), cmp.Compare(best, name)) > 0 {
			best = name
		}
	}
	return best
}

// goTarget returns the files of the package that an import path names.
func (r *Resolver) goTarget(c *File, spec string) Target {
	if spec == "C" {
		return Target{Reason: External}
	}
	folder, ok := r.goFolder(c, spec)
	if !ok {
		return Target{Reason: External}
	}
	p := r.goPackageIn(folder)
	found := p.paths
	if isExternalTest(c, folder, p) {
		found = slices.Concat(p.paths, p.tests)
		slices.Sort(found)
	}
	switch {
	case len(found) > 0:
		return Target{Paths: found}
	case isMajorVersion(path.Base(folder)) || r.isStandard(c):
		return Target{Reason: External}
	}
	return Target{Reason: Missing}
}

// goFolder returns the folder of an import path: in a module of the folder, or in a vendor folder of the importing
// module or above it.
func (r *Resolver) goFolder(c *File, spec string) (string, bool) {
	if strings.HasPrefix(spec, "./") || strings.HasPrefix(spec, "../") {
		return joinInside(dirOf(c.Path), spec)
	}
	folder, ok := r.goModules.folderOf(c.Path, spec)
	if ok && r.holds(folder) {
		return folder, true
	}
	if !r.hasVendored() {
		return folder, ok
	}
	for dir := range upwards(dirOf(c.Path)) {
		if vendored := path.Join(dir, "vendor", spec); r.holds(vendored) {
			return vendored, true
		}
	}
	return folder, ok
}

// hasVendored reports whether there is a vendor folder at all.
func (r *Resolver) hasVendored() bool {
	if r.indexes.vendored == nil {
		found := false
		for dir := range r.layout.parents {
			found = found || path.Base(dir) == "vendor"
		}
		r.indexes.vendored = &found
	}
	return *r.indexes.vendored
}

// isStandard reports whether a file belongs to the Go tree itself, where every import path may be a folder.
func (r *Resolver) isStandard(c *File) bool {
	home, ok := nearest(r.goModules.byDir, dirOf(c.Path))
	return ok && (home.prefix == goStd || home.prefix == goCommands)
}

// isMajorVersion recognises v2, v3, …: another major version of a module is not in the folder.
func isMajorVersion(segment string) bool {
	digits, ok := strings.CutPrefix(segment, "v")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// isExternalTest reports whether c is in the external test package of p, which can use names from p's own tests.
func isExternalTest(c *File, folder string, p *goPackage) bool {
	return isGoTest(c.Path) && dirOf(c.Path) == folder && c.Module != p.name
}

// goNarrowed returns the files of an imported package that define the names that c uses from it. If there are
// none, as for a blank import, it returns all files of the package, or none if there are more than maxCandidates.
func (r *Resolver) goNarrowed(c *File, imp syntax.Import, paths []string) []string {
	folder := dirOf(paths[0])
	p := r.goPackageIn(folder)
	qualifier := terms.Name(cmp.Or(imp.Alias, p.name))
	if imp.Alias == "." {
		qualifier = 0
	}
	var found []string
	for _, u := range usesBehind(c, qualifier) {
		for _, d := range p.defining(u.Name) {
			if _, ok := slices.BinarySearch(paths, r.layout.paths[d.file()]); ok {
				found = append(found, r.layout.paths[d.file()])
			}
		}
	}
	if len(found) == 0 && len(paths) <= maxCandidates {
		return paths
	}
	return found
}

// goSamePackage returns the other files of a Go file's package that define names which it uses without a qualifier
// and does not define itself. No import states this dependency, but it is just as real.
func (r *Resolver) goSamePackage(c *File) []string {
	var found []string
	p := r.goPackageIn(dirOf(c.Path))
	for _, u := range usesBehind(c, 0) {
		_, own := slices.BinarySearch(c.Defines, u.Name)
		definers := p.defining(u.Name)
		if own || len(definers) > maxCandidates {
			continue
		}
		for _, d := range definers {
			f := r.sorted[d.file()]
			if f.Module == c.Module && (!isGoTest(f.Path) || isGoTest(c.Path)) {
				found = append(found, f.Path)
			}
		}
	}
	return found
}

func isGoTest(p string) bool { return strings.HasSuffix(p, "_test.go") }
