package imports

import (
	"path"
	"strings"
)

// bashTarget resolves a file that a script sources. In a path, the part before the last variable or command is a
// folder that only the shell knows. Scripts usually mean their own folder by it, or one above.
func (r *Resolver) bashTarget(f *File, spec string) Target {
	literal := literalPath(spec)
	made := literal != spec
	switch {
	case literal == "" || strings.ContainsAny(literal, "$`*?"):
		return Target{Reason: Dynamic}
	case !made && (path.IsAbs(spec) || strings.HasPrefix(spec, "~")):
		return Target{Reason: External}
	}
	rel := strings.TrimPrefix(literal, "/")
	for dir := range upwards(dirOf(f.Path)) {
		if base, ok := joinInside(dir, rel); ok {
			if p := r.firstOf(base, base+".bash", base+".sh"); p != "" {
				return Target{Paths: []string{p}}
			}
		}
	}
	if p := r.pathsBySuffix().only(f.Path, rel); made && p != "" {
		return Target{Paths: []string{p}}
	}
	return Target{Reason: Missing}
}

// literalPath returns the part of a path behind its last expansion: /lib/x.sh for "$(dirname "$0")/lib/x.sh". It
// returns the whole path if there is no expansion.
func literalPath(spec string) string {
	end := strings.LastIndexAny(spec, "})`")
	if i := strings.LastIndexByte(spec, '$'); i > end {
		slash := strings.IndexByte(spec[i:], '/')
		if slash < 0 {
			return ""
		}
		end = i + slash - 1
	}
	return strings.Trim(spec[end+1:], " \"'")
}
