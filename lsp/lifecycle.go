package lsp

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/workspace"
)

func initialize(s *server, p *protocol.InitializeParams) (work, error) {
	s.client = readClient(p)
	s.log.Info("initialize", "client", s.client.name, "encoding", string(s.client.encoding.kind()))
	for _, path := range initialFolders(p, s.log) {
		s.addFolder(path)
	}
	if p.ProcessID != nil {
		s.watchParent(int(*p.ProcessID))
	}
	return answer(&protocol.InitializeResult{
		Capabilities: serverCapabilities(&s.client),
		ServerInfo:   protocol.ServerInfo{Name: "brv-lsp", Version: protocol.NewOptional(s.opts.Version)},
	}), nil
}

// initialFolders lists the folders that the client opened: workspaceFolders, else
// rootUri, else rootPath. A client that gives none edits a single file, about
// which there is nothing to say.
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
	path, ok := filePath(u)
	if !ok {
		log.Warn("workspace folder is not on this machine's disk", "uri", string(u))
		return paths
	}
	if slices.Contains(paths, path) {
		return paths
	}
	return append(paths, path)
}

func initialized(s *server, _ *struct{}) error {
	s.registerWatchers()
	return nil
}

func shutdown(s *server, _ *struct{}) (work, error) {
	return func(context.Context) (any, error) {
		s.wasShutDown.Store(true)
		return jsonrpc2.RawMessage("null"), nil
	}, nil
}

func setTrace(*server, *struct{}) error { return nil }

// addFolder opens a workspace for the folder in the background.
func (s *server) addFolder(path string) {
	f := newFolder(path)
	s.mu.Lock()
	s.folders = append(slices.Clip(s.folders), f)
	s.mu.Unlock()
	s.spawn("opening "+path, func() error {
		f.open(s.ctx, workspace.Options{
			Now: s.opts.Now, Log: s.log, Worker: s.opts.Worker, Cache: s.opts.Cache,
			Watch: !f.holdsManyProjects(), CodeScan: !f.holdsManyProjects(),
			Changed:  s.diskChanged,
			Progress: s.scanProgress(),
		})
		if _, err := f.wait(s.ctx); err != nil {
			return err
		}
		s.diagnostics.opened()
		return nil
	})
}

// didChangeWorkspaceFolders opens and closes workspaces; open documents find
// their folder anew.
func didChangeWorkspaceFolders(s *server, p *protocol.DidChangeWorkspaceFoldersParams) error {
	for _, removed := range p.Event.Removed {
		if path, ok := filePath(removed.URI); ok {
			s.removeFolder(path)
		}
	}
	for _, added := range p.Event.Added {
		path, ok := filePath(added.URI)
		known := slices.ContainsFunc(s.allFolders(), func(f *folder) bool { return f.spelled == path })
		if ok && !known {
			s.addFolder(path)
		}
	}
	for _, d := range s.buffers.all() {
		s.rehome(d)
	}
	return nil
}

// rehome gives a document to the folder it now belongs to.
func (s *server) rehome(d *document) {
	f, path := s.locate(d.uri)
	if f == d.folder {
		return
	}
	if d.folder != nil {
		d.folder.drop(d.path)
		s.diagnostics.closed(d)
	}
	moved := *d
	moved.folder, moved.path = f, path
	s.install(&moved)
}

func (s *server) removeFolder(path string) {
	s.mu.Lock()
	i := slices.IndexFunc(s.folders, func(f *folder) bool { return f.spelled == path })
	var f *folder
	if i >= 0 {
		f = s.folders[i]
		s.folders = slices.Delete(slices.Clone(s.folders), i, i+1)
	}
	s.mu.Unlock()
	if f != nil {
		s.spawn("closing "+path, func() error { f.close(s.log); return nil })
	}
}
