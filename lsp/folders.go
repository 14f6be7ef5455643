package lsp

import (
	"path/filepath"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/workspace"
)

// This file keeps the list of folders. Only the read loop changes it. The client's
// folders come and go as it says; a project inside of one is opened with the first
// document below it and closed with the last.

// addFolder opens a workspace for the folder in the background, once initialize was
// answered: the client need not wait for what an open folder begins, and may not be asked
// anything before.
func (s *server) addFolder(f *folder) {
	s.mu.Lock()
	s.folders = append(slices.Clip(s.folders), f)
	s.mu.Unlock()
	s.client.Spawn("opening "+f.spelled, func() error {
		select {
		case <-s.greeted:
		case <-s.client.Ctx.Done():
			return nil
		}
		if err := s.openFolder(f); err != nil {
			return err
		}
		s.logTrust(f)
		s.diagnostics.opened()
		return nil
	})
}

// didChangeWorkspaceFolders opens and closes workspaces; open documents find
// their folder anew.
func didChangeWorkspaceFolders(s *server, p *protocol.DidChangeWorkspaceFoldersParams) error {
	for _, removed := range p.Event.Removed {
		if path, ok := filePath(removed.URI); ok {
			s.removeFolders(func(f *folder) bool {
				return f.outer == nil && f.spelled == path || f.outer != nil && f.outer.spelled == path
			})
		}
	}
	for _, added := range p.Event.Added {
		path, ok := filePath(added.URI)
		known := slices.ContainsFunc(s.allFolders(), func(f *folder) bool { return f.outer == nil && f.spelled == path })
		if ok && !known {
			s.removeFolders(func(f *folder) bool { return f.outer != nil && f.spelled == path }) // it is the client's now
			s.addFolder(newFolder(path))
		}
	}
	if len(p.Event.Added) > 0 {
		s.pullSettings()
	}
	s.rehomeAll()
	s.registerWatchers()
	return nil
}

// home finds the folder of a file for as long as it is open, and the file's path there:
// the innermost project inside the client's innermost folder.
func (s *server) home(u uri.URI) (*folder, string) {
	path, ok := filePath(u)
	if !ok {
		return nil, ""
	}
	outer, rel := innermost(s.clientFolders(), path)
	if outer == nil || outer.holdsManyProjects() {
		return outer, rel
	}
	dir := workspace.Nested(outer.real, rel)
	if dir == "" {
		return outer, rel
	}
	f := s.nested(outer, dir)
	if inside, ok := f.rel(path); ok {
		return f, inside
	}
	inside, err := filepath.Rel(filepath.FromSlash(dir), filepath.FromSlash(rel))
	if err != nil {
		return outer, rel
	}
	return f, filepath.ToSlash(inside)
}

// clientFolders are the folders that the client opened.
func (s *server) clientFolders() []*folder {
	return slices.DeleteFunc(slices.Clone(s.allFolders()), func(f *folder) bool { return f.outer != nil })
}

// holding returns the file's path in each folder that holds it: the map of an outer
// project has the code of an inner one.
func (s *server) holding(u uri.URI) map[*folder]string {
	path, ok := filePath(u)
	if !ok {
		return nil
	}
	found := map[*folder]string{}
	for range 2 {
		for _, f := range s.allFolders() {
			if rel, ok := f.rel(path); ok {
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

// nested returns the project at a path of a client's folder, opening it if need be.
func (s *server) nested(outer *folder, dir string) *folder {
	spelled := filepath.Join(outer.spelled, filepath.FromSlash(dir))
	for _, known := range s.allFolders() {
		if known.outer == outer && known.spelled == spelled {
			return known
		}
	}
	f := newFolder(spelled)
	f.outer = outer
	if _, inside := outer.rel(f.real); !inside {
		return outer // a link was swapped since it was looked at
	}
	s.addFolder(f)
	return f
}

// rehomeAll gives each document to the folder it now belongs to, and closes the projects
// that have none.
func (s *server) rehomeAll() {
	for _, d := range s.buffers.all() {
		s.rehome(d)
	}
	s.closeEmpty()
}

func (s *server) rehome(d *document) {
	f, path := s.home(d.uri)
	if f == d.folder {
		return
	}
	if d.folder != nil {
		d.folder.drop(d.path)
	}
	moved := *d
	moved.folder, moved.path = f, path
	s.install(&moved)
	if d.folder != nil {
		s.diagnostics.closed(d) // after d was replaced: nothing is sent about it any more
	}
}

// closeEmpty closes the projects without an open document.
func (s *server) closeEmpty() {
	used := map[*folder]bool{}
	for _, d := range s.buffers.all() {
		used[d.folder] = true
	}
	s.removeFolders(func(f *folder) bool { return f.outer != nil && !used[f] })
}

// removeFolders closes the workspaces of some folders in the background.
func (s *server) removeFolders(gone func(*folder) bool) {
	s.mu.Lock()
	var left, closing []*folder
	for _, f := range s.folders {
		if gone(f) {
			closing = append(closing, f)
		} else {
			left = append(left, f)
		}
	}
	s.folders = left
	s.mu.Unlock()
	for _, f := range closing {
		s.client.Spawn("closing "+f.spelled, func() error { f.close(s.client.Log); return nil })
	}
}
