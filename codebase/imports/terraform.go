package imports

import (
	"path"
	"strings"
)

// terraformTarget resolves the source of a module: a folder of the tree, all of whose files make up the module. A
// source that does not begin with a dot is in a registry or another repository.
func terraformTarget(r *Resolver, f *File, spec string) Target {
	dir, ok := joinInside(dirOf(f.Path), spec)
	if !isRelative(spec) || !ok {
		return Target{Reason: External}
	}
	var found []string
	for _, p := range r.layout.pathsOf(r.layout.folders[dir].files) {
		if strings.EqualFold(path.Ext(p), ".tf") {
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		return Target{Reason: Missing}
	}
	return Target{Paths: found}
}
