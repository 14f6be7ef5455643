package lsp

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
	"github.com/brv-lsp/brv-lsp/lsp/state"
)

func initialize(s *server, p *protocol.InitializeParams) (dispatch.Work, error) {
	s.Client.Features = client.ReadFeatures(p)
	s.config.ReadOptions(p.InitializationOptions)
	s.Client.Log.Info("initialize", "client", s.Client.Name, "encoding", string(s.Client.Encoding.Kind()))
	for _, path := range initialFolders(p, s.Client.Log) {
		s.config.AddFolder(state.NewFolder(path))
	}
	if p.ProcessID != nil {
		s.Client.WatchParent(int(*p.ProcessID), s.opts.ProcessAlive, s.quit)
	}
	return dispatch.Answer(&protocol.InitializeResult{
		Capabilities: serverCapabilities(&s.Client.Features),
		ServerInfo:   protocol.ServerInfo{Name: "brv-lsp", Version: protocol.NewOptional(s.opts.Version)},
	}), nil
}

// initialFolders lists the folders that the client opened: workspaceFolders, else rootUri, else rootPath. A
// client without any edits a single file, for which there are no answers.
func initialFolders(p *protocol.InitializeParams, log *slog.Logger) []string {
	var paths []string
	if folders, ok := p.WorkspaceFolders.Get(); ok && len(folders) > 0 {
		for _, f := range folders {
			paths = appendFolder(paths, f.URI, log)
		}
		return paths
	}
	//lint:ignore SA1019 older clients send nothing else
	if p.RootURI != nil && *p.RootURI != "" {
		//lint:ignore SA1019 as above
		return appendFolder(nil, *p.RootURI, log)
	}
	//lint:ignore SA1019 the oldest clients send nothing else
	if root, ok := p.RootPath.Get(); ok && filepath.IsAbs(root) {
		return []string{filepath.Clean(root)}
	}
	return nil
}

func appendFolder(paths []string, u uri.URI, log *slog.Logger) []string {
	path, ok := state.FilePath(u)
	if !ok {
		log.Warn("workspace folder is not on a local disk", "uri", string(u))
		return paths
	}
	if slices.Contains(paths, path) {
		return paths
	}
	return append(paths, path)
}

func initialized(s *server, _ *struct{}) {
	s.Refresh.Start()
	s.config.RegisterWatchers()
	s.config.RegisterSettings()
	s.config.PullSettings()
}

// shutdown ends all running work before it is answered, so that no files are written after the answer: only
// exit can follow.
func shutdown(s *server, _ *struct{}) (dispatch.Work, error) {
	return func(context.Context) (any, error) {
		s.wasShutDown.Store(true)
		within, done := s.opts.draining()
		defer done()
		s.releaseWithin(within)
		return jsonrpc2.RawMessage("null"), nil
	}, nil
}

// cancelProgress serves the cancel button of a progress bar.
func cancelProgress(s *server, p *protocol.WorkDoneProgressCancelParams) {
	s.Client.CancelProgress(p.Token)
}
