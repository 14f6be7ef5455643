package config

import "go.lsp.dev/protocol"

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
