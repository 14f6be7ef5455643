package imports

import (
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// include resolves an #include of C or C++. For the quoted form, the file's own folder comes first. Then come the
// folders in compile_commands.json, then folders of the tree that hold headers, then any file whose path ends in
// the name.
func (r *Resolver) include(f *File, imp syntax.Import) Target {
	if p := cppModule(r, f, imp.Spec); p != "" {
		return Target{Paths: []string{p}}
	}
	name, angled := headerName(imp)
	if name == "." || path.IsAbs(name) {
		return Target{Reason: External}
	}
	if p, ok := joinInside(dirOf(f.Path), name); ok && !angled && r.has(p) {
		return Target{Paths: []string{p}}
	}
	if p := r.commanded(f, name); p != "" {
		return Target{Paths: []string{p}}
	}
	plain := withoutDots(name)
	if angled && systemHeaders[plain] {
		return Target{Reason: External}
	}
	var inRoots, own, rest []string
	for _, p := range r.pathsBySuffix().ending(plain) {
		switch {
		case p == f.Path:
		case isIncludeRoot(f.Path, strings.TrimSuffix(p[:len(p)-len(plain)], "/"), angled, plain):
			inRoots = append(inRoots, p)
		case dirOf(p) == dirOf(f.Path):
			own = append(own, p)
		default:
			rest = append(rest, p)
		}
	}
	if p := nearestHeader(f.Path, inRoots); p != "" {
		return Target{Paths: []string{p}}
	}
	// A header in the file's own folder would have been included with quotes.
	for _, found := range [][]string{rest, own} {
		if p := closestPath(f.Path, found); p != "" {
			return Target{Paths: []string{p}}
		}
	}
	return Target{Reason: r.noHeader(f, plain, angled, len(rest))}
}

// cppModule returns the file of a C++ module, or of a part (":part") of the file's own module. It is "" if there
// is none.
func cppModule(r *Resolver, f *File, name string) string {
	if r.modules == nil {
		r.modules = map[string]string{}
		for _, c := range r.sorted {
			exports := !slices.ContainsFunc(c.Imports, func(i syntax.Import) bool { return i.Spec == c.Module })
			if c.Language == syntax.Cpp && c.Module != "" && exports && r.modules[c.Module] == "" {
				r.modules[c.Module] = c.Path
			}
		}
	}
	if strings.HasPrefix(name, ":") {
		own, _, _ := strings.Cut(f.Module, ":")
		name = own + name
	}
	return r.modules[name]
}

// headerName returns the path that an include names, and whether it is in angle
// brackets.
func headerName(imp syntax.Import) (name string, angled bool) {
	name, angled = strings.CutPrefix(imp.Spec, "<")
	name = strings.ReplaceAll(strings.TrimSuffix(name, ">"), `\`, "/")
	return path.Clean(name), angled || imp.Kind == syntax.ImportSystem
}

// commanded looks in the folders that the file's compile command names. A file without a command, such as a
// header, is looked up in the folders of all commands.
func (r *Resolver) commanded(f *File, name string) string {
	dirs, ok := r.compile.byFile[f.Path]
	if !ok {
		dirs = r.compile.all[:min(len(r.compile.all), maxCandidates)]
	}
	for _, dir := range dirs {
		if p, ok := joinInside(dir, name); ok && r.has(p) {
			return p
		}
	}
	return ""
}

// headerFolders holds usual names of folders where compilers look for headers.
var headerFolders = setOf("include", "inc", "includes", "Include")

// isIncludeRoot reports whether the compiler of from probably looks in dir: a folder for headers, or a folder
// above the file. A folder above the file is not enough for a plain name in angle brackets, which is usually a
// system header.
func isIncludeRoot(from, dir string, angled bool, name string) bool {
	if headerFolders[path.Base(dir)] {
		return true
	}
	_, above := under(from, dir)
	return above && (!angled || strings.Contains(name, "/"))
}

// nearestHeader returns the header that shares the most folders with from. Of several, it returns the one closest
// to the top.
func nearestHeader(from string, candidates []string) string {
	best, shared := "", -1
	for _, p := range candidates {
		n := sharedFolders(dirOf(from), dirOf(p))
		if n > shared || n == shared && strings.Count(p, "/") < strings.Count(best, "/") {
			best, shared = p, n
		}
	}
	return best
}

// noHeader returns why an include leads nowhere: the header belongs to the system or another project, or the build
// generates it.
func (r *Resolver) noHeader(f *File, name string, angled bool, fits int) Reason {
	switch {
	case systemHeaders[name]:
		return External
	case fits > 1:
		return Unclear
	case angled:
		return External
	}
	return r.absent(f, name)
}

// sourceEnds holds the extensions of files that implement a header.
var sourceEnds = []string{".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".m", ".mm"}

var headerEnds = setOf(".h", ".hh", ".hpp", ".hxx", ".h++", ".H")

// sourcesOf returns the files that implement a header: those with its name in its folder, and those elsewhere in
// the tree that also include it. No include leads to them, but they define what the header declares.
func (r *Resolver) sourcesOf(c *File) []string {
	ext := path.Ext(c.Path)
	if !headerEnds[ext] {
		return nil
	}
	bare := strings.TrimSuffix(c.Path, ext)
	var found []string
	for _, end := range sourceEnds {
		if r.has(bare + end) {
			found = append(found, bare+end)
		}
	}
	if found != nil {
		return found
	}
	for _, end := range sourceEnds {
		for _, p := range r.pathsBySuffix().ending(path.Base(bare) + end) {
			if r.includesFile(r.file(p), c.Path) {
				found = append(found, p)
			}
		}
	}
	if p := closestPath(c.Path, found); p != "" {
		return []string{p}
	}
	return nil
}

// includesFile reports whether one of f's includes leads to a header.
func (r *Resolver) includesFile(f *File, header string) bool {
	if f.Language != syntax.C && f.Language != syntax.Cpp {
		return false
	}
	for _, imp := range f.Imports {
		if name, _ := headerName(imp); path.Base(name) != path.Base(header) {
			continue
		}
		if slices.Contains(r.include(f, imp).Paths, header) {
			return true
		}
	}
	return false
}
