package imports

import (
	"path"
	"strings"
)

// protoTarget resolves an import of a .proto file. Its path starts at one of the
// folders that the compiler is given: the top or one above the file, as a rule.
func (r *Resolver) protoTarget(f *File, spec string) Target {
	for dir := range upwards(dirOf(f.Path)) {
		if p, ok := joinInside(dir, spec); ok && r.has(p) {
			return Target{Paths: []string{p}}
		}
	}
	if p := r.pathsBySuffix().only(f.Path, spec); p != "" {
		return Target{Paths: []string{p}}
	}
	// Where the compiler runs above the folder, paths begin with its own name.
	for _, rest, ok := strings.Cut(spec, "/"); ok && strings.Contains(rest, "/"); _, rest, ok = strings.Cut(rest, "/") {
		if r.has(rest) {
			return Target{Paths: []string{rest}}
		}
	}
	return Target{Reason: r.absent(f, spec)}
}

// absent says why a slash path that starts at an unknown folder leads nowhere:
// it is missing where its first folder stands beside the file or above it.
func (r *Resolver) absent(f *File, spec string) Reason {
	first, _, deeper := strings.Cut(spec, "/")
	if !deeper {
		return Missing
	}
	for dir := range upwards(dirOf(f.Path)) {
		if r.isFolder(path.Join(dir, dirOf(spec))) || first != "google" && r.isFolder(path.Join(dir, first)) {
			return Missing
		}
	}
	return External
}
