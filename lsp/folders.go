package lsp

import (
	"slices"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/state"
)

// didChangeWorkspaceFolders opens and closes workspaces, and assigns open documents to their folders anew.
func didChangeWorkspaceFolders(s *server, p *protocol.DidChangeWorkspaceFoldersParams) {
	for _, removed := range p.Event.Removed {
		if path, ok := state.FilePath(removed.URI); ok {
			s.config.RemoveFolders(func(f *state.Folder) bool {
				return f.Outer == nil && f.Spelled == path || f.Outer != nil && f.Outer.Spelled == path
			})
		}
	}
	for _, added := range p.Event.Added {
		path, ok := state.FilePath(added.URI)
		known := slices.ContainsFunc(s.Folders.All(), func(f *state.Folder) bool { return f.Outer == nil && f.Spelled == path })
		if ok && !known {
			s.config.RemoveFolders(func(f *state.Folder) bool { return f.Outer != nil && f.Spelled == path }) // it is the client's now
			s.config.AddFolder(state.NewFolder(path))
		}
	}
	if len(p.Event.Added) > 0 {
		s.config.PullSettings()
	}
	s.rehomeAll()
}

// rehomeAll assigns each document to its present folder, and closes the projects without documents.
func (s *server) rehomeAll() {
	for _, d := range s.Documents.All() {
		s.rehome(d)
	}
	s.closeEmpty()
}

func (s *server) rehome(d *state.Document) {
	f, path := s.config.Home(d.URI)
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
		s.diagnostics.Closed(d) // after d was replaced: no more messages about it
	}
}

// closeEmpty closes the projects without an open document.
func (s *server) closeEmpty() {
	used := map[*state.Folder]bool{}
	for _, d := range s.Documents.All() {
		used[d.Folder] = true
	}
	s.config.RemoveFolders(func(f *state.Folder) bool { return f.Outer != nil && !used[f] })
}

// install makes d the current state of its buffer, for the workspace as well.
func (s *server) install(d *state.Document) {
	s.Documents.Put(d)
	if d.Folder == nil {
		return
	}
	d.Folder.Overlay(d.Path, d.Text())
	s.diagnostics.Touched()
}
