package imports

import (
	"path"
	"strings"
)

// pathIndex finds files by the end of their path.
type pathIndex struct {
	byBase map[string][]string // by the last segment
	byTail map[string][]string // by the last two
}

// maxCandidates bounds the files that one path ending is compared with. An ending that more files share, such as
// that of hundreds of index files, means nothing.
const maxCandidates = 64

// pathsBySuffix returns the index, made when it is first needed.
func (r *Resolver) pathsBySuffix() *pathIndex {
	if r.indexes.paths != nil {
		return r.indexes.paths
	}
	x := &pathIndex{map[string][]string{}, map[string][]string{}}
	for _, p := range r.layout.paths {
		base := path.Base(p)
		x.byBase[base] = append(x.byBase[base], p)
		if dir := dirOf(p); dir != "" {
			tail := path.Base(dir) + "/" + base
			x.byTail[tail] = append(x.byTail[tail], p)
		}
	}
	r.indexes.paths = x
	return x
}

// ending returns the files whose path is rel or ends in it, sorted, or none if there are more than maxCandidates.
func (x *pathIndex) ending(rel string) []string {
	base, dir := path.Base(rel), dirOf(rel)
	all := x.byBase[base]
	if dir != "" {
		all = x.byTail[path.Base(dir)+"/"+base]
	}
	if len(all) > maxCandidates {
		return nil
	}
	var found []string
	for _, p := range all {
		if p == rel || strings.HasSuffix(p, "/"+rel) {
			found = append(found, p)
		}
	}
	return found
}

// only returns the closest file to from whose path ends in rel. It is "" if there is none, or if several are
// equally close.
func (x *pathIndex) only(from, rel string) string {
	return closestPath(from, x.ending(withoutDots(rel)))
}
