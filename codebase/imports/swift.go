package imports

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// The modules of Swift are the targets of its packages: the folders below Sources and Tests. Files of the same
// module do not import each other.

// swiftFolders are folders that contain one folder for each module.
var swiftFolders = setOf("Sources", "Source", "Tests", "Plugins", "Examples", "Tools")

// moduleOfSwift returns the name of the module that contains a path, "" if there is none.
func moduleOfSwift(p string) string {
	segments := strings.Split(p, "/")
	for i := len(segments) - 3; i >= 0; i-- {
		if swiftFolders[segments[i]] {
			return segments[i+1]
		}
	}
	return ""
}

// swiftTarget resolves the import of a module, or of one declaration in it.
func (r *Resolver) swiftTarget(spec string) Target {
	name, _, _ := strings.Cut(spec, ".")
	if d := r.packagesOf(syntax.Swift).byName[name]; d != nil {
		return Target{Paths: d.paths}
	}
	return Target{Reason: External}
}
