package imports

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// csharpTarget resolves a using directive: of a namespace, of a type (static),
// or of either under another name. Which directive it is does not matter: no
// namespace and type share a full name.
func (r *Resolver) csharpTarget(f *File, imp syntax.Import) Target {
	p := r.packagesOf(syntax.CSharp)
	spec := dotted(genericless(imp.Spec))
	if d := p.byName[spec]; d != nil {
		return Target{Paths: d.paths}
	}
	found, _ := p.find(syntax.CSharp, spec, "")
	if found = p.closest(f, found); len(found) > 0 {
		return Target{Paths: p.layout.sortedPaths(found)}
	}
	// A namespace of one segment is often shared with packages from elsewhere.
	if i := strings.LastIndexByte(spec, '.'); i > 0 && strings.Contains(spec[:i], ".") && p.byName[spec[:i]] != nil {
		return Target{Reason: Missing}
	}
	return Target{Reason: External}
}

// genericless cuts type arguments: System.Action<A.B> is System.Action.
func genericless(spec string) string {
	name, _, _ := strings.Cut(spec, "<")
	return name
}
