package lsp

import (
	"path/filepath"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// This file keeps the list of folders. Only the read loop changes it. The client's
// folders come and go as it says; a project inside of one is opened with the first
// document below it and closed with the last.

// addFolder opens a workspace for the folder in the background, once initialize was
// answered: the client need not wait for what an open folder begins, and may not be asked
// anything before.
func (s *server) addFolder(f *state.Folder) {
	s.Folders.Add(f)
	s.Client.Spawn("opening "+f.Spelled, func() error {
		select {
		case <-s.greeted:
		case <-s.Client.Ctx.Done():
			return nil
		}
		if err := s.openFolder(f); err != nil {
			return err
		}
		s.logTrust(f)
		s.diagnostics.Opened()
		return nil
	})
}

// didChangeWorkspaceFolders opens and closes workspaces; open documents find
// their folder anew.
func didChangeWorkspaceFolders(s *server, p *protocol.DidChangeWorkspaceFoldersParams) error {
	for _, removed := range p.Event.Removed {
		if path, ok := state.FilePath(removed.URI); ok {
			s.removeFolders(func(f *state.Folder) bool {
				return f.Outer == nil && f.Spelled == path || f.Outer != nil && f.Outer.Spelled == path
			})
		}
	}
	for _, added := range p.Event.Added {
		path, ok := state.FilePath(added.URI)
		known := slices.ContainsFunc(s.Folders.All(), func(f *state.Folder) bool { return f.Outer == nil && f.Spelled == path })
		if ok && !known {
			s.removeFolders(func(f *state.Folder) bool { return f.Outer != nil && f.Spelled == path }) // it is the client's now
			s.addFolder(state.NewFolder(path))
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
func (s *server) home(u uri.URI) (*state.Folder, string) {
	path, ok := state.FilePath(u)
	if !ok {
		return nil, ""
	}
	outer, rel := state.Innermost(s.Folders.OfClient(), path)
	if outer == nil || outer.HoldsManyProjects() {
		return outer, rel
	}
	dir := workspace.Nested(outer.Real, rel)
	if dir == "" {
		return outer, rel
	}
	f := s.nested(outer, dir)
	if inside, ok := f.Rel(path); ok {
		return f, inside
	}
	inside, err := filepath.Rel(filepath.FromSlash(dir), filepath.FromSlash(rel))
	if err != nil {
		return outer, rel
	}
	return f, filepath.ToSlash(inside)
}

// nested returns the project at a path of a client's folder, opening it if need be.
func (s *server) nested(outer *state.Folder, dir string) *state.Folder {
	spelled := filepath.Join(outer.Spelled, filepath.FromSlash(dir))
	for _, known := range s.Folders.All() {
		if known.Outer == outer && known.Spelled == spelled {
			return known
		}
	}
	f := state.NewFolder(spelled)
	f.Outer = outer
	if _, inside := outer.Rel(f.Real); !inside {
		return outer // a link was swapped since it was looked at
	}
	s.addFolder(f)
	return f
}

// rehomeAll gives each document to the folder it now belongs to, and closes the projects
// that have none.
func (s *server) rehomeAll() {
	for _, d := range s.Documents.All() {
		s.rehome(d)
	}
	s.closeEmpty()
}

func (s *server) rehome(d *state.Document) {
	f, path := s.home(d.URI)
	if f == d.Folder {
		return
	}
	if d.Folder != nil {
		d.Folder.Drop(d.Path)
	}
	moved := *d
	moved.Folder, moved.Path = f, path
	s.install(&moved)
	if d.Folder != nil {
		s.diagnostics.Closed(d) // after d was replaced: nothing is sent about it any more
	}
}

// closeEmpty closes the projects without an open document.
func (s *server) closeEmpty() {
	used := map[*state.Folder]bool{}
	for _, d := range s.Documents.All() {
		used[d.Folder] = true
	}
	s.removeFolders(func(f *state.Folder) bool { return f.Outer != nil && !used[f] })
}

// removeFolders closes the workspaces of some folders in the background.
func (s *server) removeFolders(gone func(*state.Folder) bool) {
	for _, f := range s.Folders.Remove(gone) {
		s.Client.Spawn("closing "+f.Spelled, func() error {
			f.Close(s.Client.Log)
			s.preferences.forget(f)
			return nil
		})
	}
}
