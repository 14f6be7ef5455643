package imports

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// Java, Kotlin and Scala can use each other's packages. A file's package is the one that it declares. Its folder
// only decides between files that define the same name.

// isWildcard reports whether an import takes all names of a package or type.
func isWildcard(imp syntax.Import) bool {
	return strings.HasSuffix(imp.Spec, ".*") || strings.HasSuffix(imp.Spec, "._") ||
		len(imp.Names) == 1 && (imp.Names[0] == "*" || imp.Names[0] == "_")
}

// jvmTarget resolves an import of a type, a static member, a top-level function, or of everything in a package or
// type.
func (r *Resolver) jvmTarget(f *File, imp syntax.Import) Target {
	p := r.packagesOf(f.Language)
	var found []string
	why := External
	for _, spec := range jvmSpecs(imp) {
		t := p.jvmPath(f, spec)
		found = append(found, t.Paths...)
		if t.Reason == Missing {
			why = Missing
		}
	}
	if len(found) == 0 {
		return Target{Reason: why}
	}
	slices.Sort(found)
	return Target{Paths: slices.Compact(found)}
}

// jvmSpecs returns the dotted paths of an import: one for each selected name.
func jvmSpecs(imp syntax.Import) []string {
	spec := strings.TrimPrefix(strings.ReplaceAll(imp.Spec, "`", ""), "_root_.")
	if strings.HasSuffix(spec, "._") {
		spec = strings.TrimSuffix(spec, "_") + "*"
	}
	if len(imp.Names) == 0 {
		return []string{spec}
	}
	var out []string
	for _, n := range imp.Names {
		if n == "_" {
			n = "*"
		}
		out = append(out, spec+"."+strings.ReplaceAll(n, "`", ""))
	}
	return out
}

// jvmPath resolves one dotted path. In Scala, it may begin with a package around the import, or with a name that
// an earlier import binds.
func (p *packages) jvmPath(f *File, spec string) Target {
	if f.Language != syntax.Scala {
		t, _ := p.path(f, spec, "")
		return t
	}
	if t := p.relative(f, spec); len(t.Paths) > 0 {
		return t
	}
	return p.throughImport(f, spec)
}

// relative resolves a path that is absolute or begins with a package around the file. It prefers the reading that
// leaves the fewest segments for members, then the one from the innermost package.
func (p *packages) relative(f *File, spec string) Target {
	best, depth := p.path(f, spec, "")
	for outer := range splits(dotted(f.Module) + ".x") {
		if outer == "" {
			break
		}
		if t, d := p.path(f, outer+"."+spec, outer); d < depth {
			best, depth = t, d
		}
	}
	return best
}

// throughImport resolves a path whose first segment is a name that an import of the file binds. The path of that
// import is not resolved through further imports.
func (p *packages) throughImport(f *File, spec string) Target {
	first, rest, ok := strings.Cut(spec, ".")
	for _, imp := range f.Imports {
		for _, full := range jvmSpecs(imp) {
			if !ok || !strings.HasSuffix(full, "."+first) {
				continue
			}
			if t := p.relative(f, full+"."+rest); len(t.Paths) > 0 {
				return t
			}
		}
	}
	return Target{Reason: p.reason(spec)}
}

// path returns the files of an absolute dotted path to outer or something inside it. It also returns the number of
// segments that are members of what the files define.
func (p *packages) path(f *File, spec, outer string) (Target, int) {
	if pkg, all := strings.CutSuffix(spec, ".*"); all {
		if d := p.byName[pkg]; d != nil {
			return Target{Paths: d.paths}, 0
		}
		spec = pkg
	}
	found, depth := p.find(f.Language, spec, outer)
	if found = p.closest(f, found); len(found) > 0 {
		return Target{Paths: p.layout.sortedPaths(found)}, depth
	}
	return Target{Reason: p.reason(spec)}, maxSegments
}
