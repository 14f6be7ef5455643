package imports

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// rust resolves a use path or a mod declaration.
func (r *Resolver) rust(c *File, imp syntax.Import) Target {
	if imp.Kind == syntax.ImportChild {
		if m, ok := r.childModule(r.moduleAt(c, imp.At), imp.Spec); ok && m.file != c.Path {
			return Target{Paths: []string{m.file}}
		}
		return Target{Reason: Missing}
	}
	if imp.Kind == syntax.ImportFile {
		return r.filesLike(c, imp.Spec)
	}
	budget := maxUses
	m, _, ok := r.usePath(c, imp, &budget)
	switch {
	case ok && m.file != "":
		return Target{Paths: []string{m.file}}
	case ok:
		return Target{Reason: Missing}
	}
	return Target{Reason: External}
}

// maxUses bounds how many use statements are examined for one path.
const maxUses = 64

// usePath follows a use path through modules as far as possible. rest is the remainder: an item, and perhaps a
// member of it. ok is false for a path that leaves the folder.
func (r *Resolver) usePath(c *File, imp syntax.Import, budget *int) (m module, rest []string, ok bool) {
	if *budget--; *budget < 0 {
		return module{}, nil, false
	}
	segments := strings.Split(strings.TrimPrefix(imp.Spec, "::"), "::")
	here := r.moduleAt(c, imp.At)
	m, rest, ok = r.useStart(c, here, imp, segments, budget)
	if !ok {
		return m, nil, false
	}
	for len(rest) > 0 {
		next, found := r.childModule(m, rest[0])
		if !found && len(rest) > 1 {
			next, found = r.usedModule(m, rest[0], imp, budget)
		}
		if !found {
			break
		}
		m, rest = next, rest[1:]
	}
	return m, rest, true
}

// useStart resolves the beginning of a path.
func (r *Resolver) useStart(c *File, here module, imp syntax.Import, segments []string, budget *int) (module, []string, bool) {
	first := segments[0]
	switch first {
	case "crate", "$crate":
		return module{here.root, dirOf(here.root), here.root}, segments[1:], true
	case "self", "super":
		for len(segments) > 0 && (segments[0] == "super" || segments[0] == "self") {
			if segments[0] == "super" {
				here = r.parentModule(here)
			}
			segments = segments[1:]
		}
		return here, segments, true
	}
	k, _ := nearest(r.crates.byDir, dirOf(c.Path))
	if !strings.HasPrefix(imp.Spec, "::") {
		if _, ok := r.childModule(here, first); ok {
			return here, segments, true
		}
		if k != nil && k.old {
			top := module{here.root, dirOf(here.root), here.root}
			if _, ok := r.childModule(top, first); ok {
				return top, segments, true
			}
		}
	}
	if lib, known := r.externCrate(k, first); known {
		if lib == nil || !r.has(lib.lib) {
			return module{}, nil, false
		}
		return module{lib.lib, dirOf(lib.lib), lib.lib}, segments[1:], true
	}
	if len(segments) > 1 {
		if m, ok := r.usedModule(here, first, imp, budget); ok {
			return m, segments[1:], true
		}
	}
	if definesName(c, first) { // use Kind::*
		return here, segments, true
	}
	return module{}, nil, false
}

// externCrate returns the crate that a name means in a package. If the package depends on a crate that is not in
// the folder, lib is nil and known is true.
func (r *Resolver) externCrate(k *crate, name string) (lib *crate, known bool) {
	if k == nil {
		lib = r.crates.byName[name]
		return lib, lib != nil
	}
	if d, ok := k.deps[name]; ok {
		if !d.local {
			return nil, true
		}
		return r.crates.byDir[d.dir], true
	}
	if name == k.name {
		return k, true
	}
	lib = r.crates.byName[name]
	return lib, lib != nil
}

// usedModule returns the module that a name means in m because a use statement there imports it, by name or by a
// glob.
func (r *Resolver) usedModule(m module, name string, except syntax.Import, budget *int) (module, bool) {
	f := r.file(m.file)
	if f == nil {
		return m, false
	}
	for _, imp := range f.Imports {
		if imp.Kind == syntax.ImportChild || imp.At == except.At && imp.Spec == except.Spec || boundName(imp) != name {
			continue
		}
		if to, rest, ok := r.usePath(f, imp, budget); ok && len(rest) == 0 {
			return to, true
		}
	}
	for _, imp := range f.Imports {
		if imp.Kind != syntax.ImportReexport || !strings.HasSuffix(imp.Spec, "::*") {
			continue
		}
		to, rest, ok := r.usePath(f, imp, budget)
		if !ok || len(rest) != 1 || to.file == m.file {
			continue
		}
		if next, ok := r.childModule(to, name); ok {
			return next, true
		}
	}
	return m, false
}

// boundName returns the name that a use statement binds.
func boundName(imp syntax.Import) string {
	if imp.Alias != "" {
		return imp.Alias
	}
	return imp.Spec[strings.LastIndexByte(imp.Spec, ':')+1:]
}
