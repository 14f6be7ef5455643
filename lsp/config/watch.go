package config

import "go.lsp.dev/protocol"

// RegisterWatchers asks the client to report changes of files in its folders, also of those that come later. The workspace
// watches `.brv` by itself, since not every client reports; code it learns about
// from the client, because an own recursive watch of a large repository would
// exhaust the system's limits.
func (s *Config) RegisterWatchers() {
	if s.Client.WatchFiles {
		s.Client.Register("watchers", protocol.Registration{
			ID: "brv-watch", Method: protocol.MethodWorkspaceDidChangeWatchedFiles,
			RegisterOptions: protocol.LSPAny(`{"watchers":[{"globPattern":"**/*"}]}`),
		})
	}
}
