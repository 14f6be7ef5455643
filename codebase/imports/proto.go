package imports

import (
	"path"
	"strings"
)

// protoTarget resolves an import of a .proto file. Its path starts at one of the folders that the compiler gets.
// As a rule that is the top, or a folder above the file.
func (r *Resolver) protoTarget(f *File, spec string) Target {
	for dir := range upwards(dirOf(f.Path)) {
		if p, ok := joinInside(dir, spec); ok && r.has(p) {
			return Target{Paths: []string{p}}
		}
	}
	if p := r.pathsBySuffix().only(f.Path, spec); p != "" {
		return Target{Paths: []string{p}}
	}
	// If the compiler runs above the folder, paths begin with the folder's own name.
	for _, rest, ok := strings.Cut(spec, "/"); ok && strings.Contains(rest, "/"); _, rest, ok = strings.Cut(rest, "/") {
		if r.has(rest) {
			return Target{Paths: []string{rest}}
		}
	}
	return Target{Reason: r.absent(f, spec)}
}

// absent returns why a path that starts at an unknown folder leads nowhere. It is Missing if its first folder
// exists in the file's folder or above.
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
