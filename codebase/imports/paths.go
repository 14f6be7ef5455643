package imports

import (
	"iter"
	"path"
	"slices"
	"strings"
)

// dirOf is path.Dir with "" for the top.
func dirOf(p string) string {
	i := strings.LastIndexByte(p, '/')
	return p[:max(i, 0)]
}

// within joins a folder and a clean path in it.
func within(dir, rel string) string {
	switch {
	case dir == "":
		return rel
	case rel == "":
		return dir
	}
	return dir + "/" + rel
}

// joinInside joins a relative path to a folder; ok is false if it leaves the top.
func joinInside(dir, rel string) (string, bool) {
	p := path.Join(dir, strings.ReplaceAll(rel, `\`, "/"))
	if p == ".." || strings.HasPrefix(p, "../") || path.IsAbs(rel) {
		return "", false
	}
	if p == "." {
		p = ""
	}
	return p, true
}

// filesLike returns the mapped files that a pattern names from a file's folder, as Go's //go:embed has them: files, and all
// below folders.
func (r *Resolver) filesLike(f *File, pattern string) Target {
	p, ok := joinInside(dirOf(f.Path), pattern)
	if !ok {
		return Target{Reason: External}
	}
	literal := p[:strings.IndexAny(p+"*", "*?[\\")]
	var found []string
	from, _ := slices.BinarySearch(r.layout.paths, literal)
	for _, q := range r.layout.paths[from:] {
		if !strings.HasPrefix(q, literal) {
			break
		}
		if like, _ := path.Match(p, q); like {
			found = append(found, q)
		} else if _, below := under(q, p); below {
			found = append(found, q)
		}
	}
	if len(found) == 0 {
		return Target{Reason: External} // a file that is no code
	}
	return Target{Paths: found}
}

// under returns what follows prefix and a slash in p; an empty prefix holds all.
func under(p, prefix string) (rest string, ok bool) {
	if prefix == "" || p == prefix {
		return strings.TrimPrefix(p, prefix), true
	}
	rest, ok = strings.CutPrefix(p, prefix)
	if !ok || rest[0] != '/' {
		return "", false
	}
	return rest[1:], true
}

// upwards yields a folder and those above it; the top is the last.
func upwards(dir string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for yield(dir) && dir != "" {
			dir = dirOf(dir)
		}
	}
}

// nearest returns the value of dir or of the closest folder above it.
func nearest[T any](m map[string]T, dir string) (found T, ok bool) {
	for d := range upwards(dir) {
		if found, ok = m[d]; ok {
			break
		}
	}
	return found, ok
}

// sharedFolders counts the folders that two paths of folders begin with alike.
func sharedFolders(a, b string) (n int) {
	for a != "" && b != "" {
		x, restA, _ := strings.Cut(a, "/")
		y, restB, _ := strings.Cut(b, "/")
		if x != y {
			break
		}
		a, b = restA, restB
		n++
	}
	return n
}

// closestPath returns the path that shares most folders with from, "" if several
// do.
func closestPath(from string, candidates []string) string {
	best, shared, tied := "", -1, false
	for _, p := range candidates {
		switch n := sharedFolders(dirOf(from), dirOf(p)); {
		case n > shared:
			best, shared, tied = p, n, false
		case n == shared:
			tied = true
		}
	}
	if tied {
		return ""
	}
	return best
}

// withoutDots drops the steps upwards that a relative path begins with.
func withoutDots(rel string) string {
	rel = path.Clean(rel)
	for strings.HasPrefix(rel, "../") {
		rel = rel[len("../"):]
	}
	return rel
}
