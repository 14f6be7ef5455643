package config

import (
	"strconv"

	"go.lsp.dev/protocol"
)

// RegisterWatchers asks the client to report changes of files. The workspace
// watches `.brv` by itself, since not every client reports; code it learns about
// from the client, because an own recursive watch of a large repository would
// exhaust the system's limits. A client that knows patterns relative to a folder is asked
// anew when its folders change: first for the new ones, so that nothing is missed.
func (s *Config) RegisterWatchers() {
	if !s.Client.WatchFiles {
		return
	}
	s.Client.Spawn("registering watchers", func() error {
		w := &s.watchers
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.id != "" && !s.Client.RelativeWatch {
			return nil
		}
		options, err := protocol.Marshal(&protocol.DidChangeWatchedFilesRegistrationOptions{Watchers: s.watched()})
		if err != nil {
			return err
		}
		before := w.id
		w.count++
		next := "brv-watch-" + strconv.Itoa(w.count)
		err = s.Client.Conn.RegisterCapability(s.Client.Ctx, &protocol.RegistrationParams{Registrations: []protocol.Registration{{
			ID: next, Method: protocol.MethodWorkspaceDidChangeWatchedFiles, RegisterOptions: options,
		}}})
		if err != nil {
			return err
		}
		if w.id = next; before == "" {
			return nil
		}
		return s.Client.Conn.UnregisterCapability(s.Client.Ctx,
			&protocol.UnregistrationParams{Unregisterations: []protocol.Unregistration{{
				ID: before, Method: protocol.MethodWorkspaceDidChangeWatchedFiles,
			}}})
	})
}

// watched are the patterns of what the client is asked to report.
func (s *Config) watched() []protocol.FileSystemWatcher {
	const everything = protocol.Pattern("**/*")
	if !s.Client.RelativeWatch {
		return []protocol.FileSystemWatcher{{GlobPattern: everything}}
	}
	list := []protocol.FileSystemWatcher{}
	for _, f := range s.Folders.OfClient() {
		below := &protocol.RelativePattern{BaseURI: protocol.URI(f.URI(".")), Pattern: everything}
		list = append(list, protocol.FileSystemWatcher{GlobPattern: below})
	}
	return list
}
