package imports

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// The modules of Swift are the targets of its packages: the folders under Sources
// and Tests. Files of a module need no import of each other.

// swiftFolders hold one folder for each module.
var swiftFolders = setOf("Sources", "Source", "Tests", "Plugins", "Examples", "Tools")

// moduleOfSwift returns the name of the module that holds a path, "" for none.
func moduleOfSwift(p string) string {
	segments := strings.Split(p, "/")
	for i := len(segments) - 3; i >= 0; i-- {
		if swiftFolders[segments[i]] {
			return segments[i+1]
		}
	}
	return ""
}

// swiftTarget resolves the import of a module, or of one declaration of it.
func (r *Resolver) swiftTarget(spec string) Target {
	name, _, _ := strings.Cut(spec, ".")
	if d := r.packagesOf(syntax.Swift).byName[name]; d != nil {
		return Target{Paths: d.paths}
	}
	return Target{Reason: External}
}

// swiftNarrowed returns the files of an imported module that define a name that c
// mentions.
func (r *Resolver) swiftNarrowed(c *File, imp syntax.Import, paths []string) []string {
	name, member, _ := strings.Cut(imp.Spec, ".")
	p := r.packagesOf(syntax.Swift)
	d := p.byName[name]
	found := p.defining(d, mentions(c))
	if member != "" {
		found = append(found, p.layout.pathsOf(d.definers[terms.Name(member)])...)
	}
	if len(found) == 0 && len(paths) <= smallPackage {
		return paths
	}
	return found
}

// swiftSiblings returns the files of c's module that define a name that c
// mentions and does not define.
func (r *Resolver) swiftSiblings(c *File) []string {
	p := r.packagesOf(syntax.Swift)
	d := p.of[r.layout.ids[c.Path]]
	if d == nil {
		return nil
	}
	names := slices.DeleteFunc(mentions(c), func(n terms.Term) bool {
		_, own := slices.BinarySearch(c.Defines, n)
		return own
	})
	return p.defining(d, names)
}

// defining returns the files of a module that define one of some names.
func (p *packages) defining(d *declared, names []terms.Term) []string {
	var found []string
	for _, n := range names {
		found = append(found, p.layout.pathsOf(d.definers[n])...)
	}
	return found
}
