package lsp

import (
	"strings"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/workspace"
)

// registerWatchers asks the client to report changes of files. The workspace
// watches `.brv` by itself, since not every client reports; code it learns about
// from the client, because an own recursive watch of a large repository would
// exhaust the system's limits.
func (s *server) registerWatchers() {
	if !s.client.watchFiles {
		return
	}
	options, err := protocol.Marshal(&protocol.DidChangeWatchedFilesRegistrationOptions{
		Watchers: []protocol.FileSystemWatcher{{GlobPattern: protocol.Pattern("**/*")}},
	})
	if err != nil {
		s.log.Error("watchers", "err", err)
		return
	}
	s.spawn("registering watchers", func() error {
		return s.conn.RegisterCapability(s.ctx, &protocol.RegistrationParams{Registrations: []protocol.Registration{{
			ID: "brv-watch", Method: protocol.MethodWorkspaceDidChangeWatchedFiles, RegisterOptions: options,
		}}})
	})
}

// didChangeWatchedFiles hands the client's file events to the workspaces.
func didChangeWatchedFiles(s *server, p *protocol.DidChangeWatchedFilesParams) error {
	changed := map[*folder][]string{}
	for _, e := range p.Changes {
		f, path := s.locate(e.URI)
		if f != nil && !strings.HasPrefix(path, ".git/") {
			changed[f] = append(changed[f], path)
		}
	}
	for f, paths := range changed {
		if ws := f.current(); ws != nil {
			ws.DiskChanged(paths)
		}
	}
	return nil
}

// diskChanged learns that a workspace has read the disk again.
func (s *server) diskChanged(c workspace.Change) {
	switch {
	case c.Tree:
		s.diagnostics.diskChanged()
	case c.Code, c.Drift:
		s.diagnostics.codeChanged()
	}
}
