package imports

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
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
