package imports

import "slices"

// fileID is the index of a file in the sorted list of files. Indexes hold these instead of pointers, so that they
// stay valid when a file's content changes.
type fileID int32

// layout holds the places of the files. It depends only on their paths, does not change once made, and is shared
// by all resolvers of the same paths.
type layout struct {
	paths   []string // by fileID
	ids     map[string]fileID
	folders map[string]folder // those that contain a file directly
	parents map[string]bool   // every folder that contains a file at any depth
}

// folder is a folder that contains files directly.
type folder struct {
	number int      // numbers such folders
	files  []fileID // sorted by path
}

func newLayout(files []*File) *layout {
	l := &layout{
		paths:   make([]string, len(files)),
		ids:     make(map[string]fileID, len(files)),
		folders: map[string]folder{},
		parents: map[string]bool{"": true},
	}
	for i, f := range files {
		l.paths[i], l.ids[f.Path] = f.Path, fileID(i)
		dir := dirOf(f.Path)
		d, known := l.folders[dir]
		if !known {
			d.number = len(l.folders)
		}
		d.files = append(d.files, fileID(i))
		l.folders[dir] = d
		for ; !l.parents[dir]; dir = dirOf(dir) {
			l.parents[dir] = true
		}
	}
	return l
}

// pathsOf returns the paths of files, in their order.
func (l *layout) pathsOf(files []fileID) []string {
	out := make([]string, len(files))
	for i, id := range files {
		out[i] = l.paths[id]
	}
	return out
}

// sortedPaths returns the distinct paths of files, sorted.
func (l *layout) sortedPaths(files []fileID) []string {
	out := l.pathsOf(files)
	slices.Sort(out)
	return slices.Compact(out)
}

// holds reports whether a folder contains a mapped file directly.
func (r *Resolver) holds(dir string) bool {
	_, ok := r.layout.folders[dir]
	return ok
}

// isFolder reports whether a folder contains a mapped file at any depth.
func (r *Resolver) isFolder(dir string) bool { return r.layout.parents[dir] }
