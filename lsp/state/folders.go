package state

import (
	"slices"
	"sync"

	"go.lsp.dev/uri"
)

// Folders is the list of workspace folders. Only the read loop changes it; its lock is held for
// nothing but the list.
type Folders struct {
	mu   sync.Mutex // guards list
	list []*Folder  // never changed in place
}

// All returns the workspace folders; the slice is not to be changed.
func (l *Folders) All() []*Folder {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.list
}

// Add puts a folder behind the others.
func (l *Folders) Add(f *Folder) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(slices.Clip(l.list), f)
}

// Remove takes some folders off the list, and returns them.
func (l *Folders) Remove(gone func(*Folder) bool) (removed []*Folder) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var left []*Folder
	for _, f := range l.list {
		if gone(f) {
			removed = append(removed, f)
		} else {
			left = append(left, f)
		}
	}
	l.list = left
	return removed
}

// OfClient are the folders that the client opened.
func (l *Folders) OfClient() []*Folder {
	return slices.DeleteFunc(slices.Clone(l.All()), func(f *Folder) bool { return f.Outer != nil })
}

// Locate finds the folder that a URI's file belongs to.
func (l *Folders) Locate(u uri.URI) (*Folder, string) {
	path, ok := FilePath(u)
	if !ok {
		return nil, ""
	}
	return Innermost(l.All(), path)
}

// Holding returns the file's path in each folder that holds it: the map of an outer
// project has the code of an inner one.
func (l *Folders) Holding(u uri.URI) map[*Folder]string {
	path, ok := FilePath(u)
	if !ok {
		return nil
	}
	found := map[*Folder]string{}
	for range 2 {
		for _, f := range l.All() {
			if rel, ok := f.Rel(path); ok {
				found[f] = rel
			}
		}
		real, err := resolved(path)
		if len(found) > 0 || err != nil || real == path {
			break
		}
		path = real
	}
	return found
}
