package imports

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// packageNarrowed returns the files of an imported package that define a name which c mentions. If paths has fewer
// files than the package, the import named one declaration. An import in Swift may name a declaration of a module.
func (r *Resolver) packageNarrowed(c *File, imp syntax.Import, paths []string) []string {
	p := r.packagesOf(c.Language)
	d := p.of[r.layout.ids[paths[0]]]
	if len(paths) == 1 || d == nil || len(paths) != len(d.paths) {
		return paths
	}
	names := r.unbound(c)
	if _, member, named := strings.Cut(imp.Spec, "."); named && c.Language == syntax.Swift {
		names = append(slices.Clip(names), terms.Name(member))
	}
	found := p.mentioned(c, names, d)
	if len(found) == 0 && len(paths) <= smallPackage {
		return paths
	}
	return found
}

// packageSiblings returns the files of c's own package that define a name which c mentions. It includes the
// packages around it if the language looks there.
func (r *Resolver) packageSiblings(c *File) []string {
	p := r.packagesOf(c.Language)
	own := p.of[r.layout.ids[c.Path]]
	if own == nil {
		return nil
	}
	names := r.unbound(c)
	found := p.mentioned(c, names, own)
	if c.Language != syntax.CSharp && c.Language != syntax.Scala {
		return found
	}
	for outer := range splits(own.name) {
		if d := p.byName[outer]; d != nil && outer != "" {
			found = append(found, p.mentioned(c, names, d)...)
		}
	}
	return found
}

// mentioned returns the paths of the files of d that define one of the names.
func (p *packages) mentioned(c *File, names []terms.Term, d *declared) []string {
	var found []string
	for _, n := range names {
		for _, id := range p.closest(c, d.definers[n]) {
			found = append(found, p.layout.paths[id])
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// unbound returns the names that c mentions and that are bound neither in c itself nor by an import of one name.
func (r *Resolver) unbound(c *File) []terms.Term {
	if r.unboundOf == c {
		return r.unboundNames
	}
	bound := slices.Clone(c.Defines)
	for _, imp := range c.Imports {
		for _, n := range boundNames(c.Language, imp) {
			bound = append(bound, terms.Name(n))
		}
	}
	slices.Sort(bound)
	var out []terms.Term
	for _, n := range mentions(c) {
		if _, own := slices.BinarySearch(bound, n); !own {
			out = append(out, n)
		}
	}
	r.unboundOf, r.unboundNames = c, out
	return out
}

// boundNames returns the names that an import binds.
func boundNames(lang syntax.Language, imp syntax.Import) []string {
	switch {
	case imp.Alias != "":
		return []string{imp.Alias}
	case lang == syntax.CSharp || lang == syntax.Swift || isWildcard(imp):
		return nil
	case len(imp.Names) > 0:
		return imp.Names
	}
	spec := dotted(imp.Spec)
	return []string{spec[strings.LastIndexByte(spec, '.')+1:]}
}
