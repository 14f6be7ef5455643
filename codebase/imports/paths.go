package imports

import (
	"iter"
	"path"
	"slices"
	"strings"
)

// dirOf is path.Dir, with "" for the top folder.
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

// joinInside joins a relative path to a folder. ok is false if the path leaves the top folder.
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

// filesLike returns the mapped files that a pattern matches, relative to a file's folder. As in Go's //go:embed, a
// matched folder stands for all files below it.
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
		return Target{Reason: Asset}
	}
	return Target{Paths: found}
}

// under returns the part of p behind prefix and a slash. Every path is under an empty prefix.
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

// upwards yields a folder and the folders above it, ending with the top.
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

// sharedFolders counts the folders that two paths have in common at their beginning.
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

// closestPath returns the path that shares the most folders with from, "" if several do.
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

// withoutDots removes the "../" steps at the beginning of a relative path.
func withoutDots(rel string) string {
	rel = path.Clean(rel)
	for strings.HasPrefix(rel, "../") {
		rel = rel[len("../"):]
	}
	return rel
}
