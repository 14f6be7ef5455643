package imports

import (
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

// csharpTarget resolves a using directive: of a namespace, of a type (static), or of either with an alias. The
// three need no distinction, since a namespace and a type never have the same full name.
func (r *Resolver) csharpTarget(f *File, imp syntax.Import) Target {
	p := r.packagesOf(syntax.CSharp)
	spec, _, _ := strings.Cut(dotted(imp.Spec), "<")
	if d := p.byName[spec]; d != nil {
		return Target{Paths: d.paths}
	}
	if found := p.definers(f, spec); len(found) > 0 {
		return Target{Paths: found}
	}
	// A namespace of one segment is often shared with packages of others.
	if i := strings.LastIndexByte(spec, '.'); i > 0 && strings.Contains(spec[:i], ".") && p.byName[spec[:i]] != nil {
		return Target{Reason: Missing}
	}
	return Target{Reason: External}
}

var projectUsing = lazyregexp.New(`<Using\s+(Static\s*=\s*"\w+"\s+)?Include\s*=\s*"([^"]+)"(\s+Static\b)?(?:\s+Alias\s*=\s*"([^"]+)")?`)

// globallyUsed returns the files that c depends on because its project uses them in all files, through global
// using directives and project files.
func globallyUsed(r *Resolver, c *File) (found []string) {
	if r.globals == nil {
		r.globals = map[string][]syntax.Import{}
		for p, text := range r.configs.Texts {
			for _, m := range projectUsing().FindAllStringSubmatch(text, -1) {
				r.globals[dirOf(p)] = append(r.globals[dirOf(p)], syntax.Import{Spec: m[2], Alias: m[4]})
			}
		}
		for _, f := range r.sorted {
			for _, imp := range f.Imports {
				if imp.Kind == syntax.ImportGlobal {
					dir := projectFolder(r, f.Path)
					r.globals[dir] = append(r.globals[dir], imp)
				}
			}
		}
	}
	p, names := r.packagesOf(syntax.CSharp), r.unbound(c)
	for dir := range upwards(dirOf(c.Path)) {
		for _, imp := range r.globals[dir] {
			switch d := p.byName[imp.Spec]; {
			case d != nil:
				found = append(found, p.mentioned(c, names, d)...)
			case imp.Alias == "":
				found = append(found, withMember(r, p.definers(c, imp.Spec), names)...)
			case slices.Contains(names, terms.Name(imp.Alias)):
				found = append(found, p.definers(c, imp.Spec)...)
			}
		}
	}
	return found
}

// withMember returns the files that define one of the names anywhere, which a static using makes visible.
func withMember(r *Resolver, paths []string, names []terms.Term) []string {
	return slices.DeleteFunc(paths, func(p string) bool {
		return !slices.ContainsFunc(r.file(p).Names, func(n terms.Term) bool {
			_, used := slices.BinarySearch(names, n)
			return used
		})
	})
}

// projectFolder returns the folder of the project file nearest above a file, or its own folder.
func projectFolder(r *Resolver, p string) string {
	for dir := range upwards(dirOf(p)) {
		for q := range r.configs.Texts {
			if path.Ext(q) == ".csproj" && dirOf(q) == dir {
				return dir
			}
		}
	}
	return dirOf(p)
}
