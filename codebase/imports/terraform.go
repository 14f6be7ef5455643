package imports

import (
	"path"
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
		if ext := path.Ext(p); ext == ".tf" || ext == ".tofu" || path.Base(p) == "terragrunt.hcl" {
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		return Target{Reason: Missing}
	}
	return Target{Paths: found}
}
