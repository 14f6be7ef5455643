package config

import (
	"path/filepath"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// This file keeps the list of folders. Only the read loop changes it. The client adds and removes its
// folders; a project inside of one is opened with the first document below it and closed with the last.

// AddFolder opens a workspace for the folder in the background, after initialize was answered: the client
// need not wait for it, and requests to the client are not allowed earlier.
func (s *Config) AddFolder(f *state.Folder) {
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
		s.tellUnread(f)
		s.diagnostics.Opened()
		return nil
	})
}

// Home finds the folder of a file for as long as it is open, and the file's path there:
// the innermost project inside the client's folders, see [state.Innermost].
func (s *Config) Home(u uri.URI) (*state.Folder, string) {
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
func (s *Config) nested(outer *state.Folder, dir string) *state.Folder {
	spelled := filepath.Join(outer.Spelled, filepath.FromSlash(dir))
	for _, known := range s.Folders.All() {
		if known.Outer == outer && known.Spelled == spelled {
			return known
		}
	}
	f := state.NewFolder(spelled)
	f.Outer = outer
	if _, inside := outer.Rel(f.Real); !inside {
		return outer // a link changed since it was checked
	}
	s.AddFolder(f)
	return f
}

// RemoveFolders closes the workspaces of some folders in the background.
func (s *Config) RemoveFolders(gone func(*state.Folder) bool) {
	for _, f := range s.Folders.Remove(gone) {
		s.Client.Spawn("closing "+f.Spelled, func() error {
			f.Close(s.Client.Log)
			s.preferences.forget(f)
			return nil
		})
	}
}

// peers are the other folders of the client that are open. Projects inside of a folder belong to it.
func (s *Config) peers(of *state.Folder) (open []*workspace.Workspace) {
	for _, f := range s.Folders.OfClient() {
		if w := f.Current(); w != nil && f != of {
			open = append(open, w)
		}
	}
	return open
}

// RegisterWatchers asks the client to report changes of files in its folders, including later ones. The
// workspace watches `.brv` itself, since not every client reports changes. Changes of code are reported by
// the client only, because our own recursive watch of a large repository would exhaust the system's limits.
func (s *Config) RegisterWatchers() {
	if s.Client.WatchFiles {
		s.Client.Register("watchers", protocol.Registration{
			ID: "brv-watch", Method: protocol.MethodWorkspaceDidChangeWatchedFiles,
			RegisterOptions: protocol.LSPAny(`{"watchers":[{"globPattern":"**/*"}]}`),
		})
	}
}
