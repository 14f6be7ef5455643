package state

import (
	"slices"
	"sync"

	"go.lsp.dev/uri"
)

// Folders is the list of workspace folders. Only the read loop changes it. Its lock protects only the list.
type Folders struct {
	mu   sync.Mutex // guards list
	list []*Folder  // never changed in place
}

// All returns the workspace folders. The slice must not be changed.
func (l *Folders) All() []*Folder {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.list
}

// Add appends a folder.
func (l *Folders) Add(f *Folder) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(slices.Clip(l.list), f)
}

// Remove removes some folders from the list, and returns them.
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

// OfClient returns the folders that the client opened.
func (l *Folders) OfClient() []*Folder {
	return slices.DeleteFunc(slices.Clone(l.All()), func(f *Folder) bool { return f.Outer != nil })
}

// Locate finds the folder that contains the file of a URI.
func (l *Folders) Locate(u uri.URI) (*Folder, string) {
	path, ok := FilePath(u)
	if !ok {
		return nil, ""
	}
	return Innermost(l.All(), path)
}

// Holding returns the file's path in each folder that contains it, since the map of an outer project includes the
// code of an inner one.
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
