package lsp

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/workspace"
)

func didOpen(s *server, p *protocol.DidOpenTextDocumentParams) {
	u := uri.URI(strings.Clone(string(p.TextDocument.URI)))
	f, path := s.config.Home(u)
	s.install(&state.Document{
		Opening: s.Documents.Opening(), URI: u, Version: p.TextDocument.Version, Folder: f, Path: path,
		Language: strings.Clone(string(p.TextDocument.LanguageID)),
		Mapper:   position.NewMapper(p.TextDocument.Text, s.Client.Encoding),
	})
}

func didChange(s *server, raw jsonrpc2.RawMessage) error {
	p, err := position.DecodeChanges(raw)
	u, uerr := uri.Parse(p.TextDocument.URI)
	if uerr != nil {
		return fmt.Errorf("didChange: %w", uerr)
	}
	old := s.Documents.Get(u)
	if old == nil {
		return fmt.Errorf("%s: the client changed a document that is not open", u)
	}
	defer s.lostOnPanic(old)
	next := *old
	if err == nil {
		next.Mapper, err = old.Mapper.Apply(p.Changes)
	}
	next.Desynced = err != nil || old.Desynced && !position.ReplacesAll(p.Changes)
	if v := p.TextDocument.Version; v != nil {
		next.Version = int32(max(math.MinInt32, min(*v, math.MaxInt32)))
		if next.Version <= old.Version && !position.ReplacesAll(p.Changes) {
			next.Desynced = true
			err = errors.Join(err, fmt.Errorf("%s: version %d came after %d, so it was ignored; reopen the file", u, next.Version, old.Version))
		}
	}
	if next.Desynced {
		s.Edits.Forget(u)
	} else {
		s.Edits.Note(u, old.Text(), next.Text(), s.Client.Now())
	}
	s.install(&next)
	s.idle.Edited(&next)
	return err
}

// lostOnPanic is deferred by what changes a document: half a change is worse than none.
func (s *server) lostOnPanic(d *state.Document) {
	if r := recover(); r != nil {
		lost := *d
		lost.Desynced = true
		s.Documents.Put(&lost)
		panic(r)
	}
}

func didClose(s *server, p *protocol.DidCloseTextDocumentParams) error {
	d := s.Documents.Remove(p.TextDocument.URI)
	if d == nil {
		return fmt.Errorf("%s: the client closed a document that is not open", p.TextDocument.URI)
	}
	if d.Folder != nil {
		d.Folder.Drop(d.Path)
		s.diagnostics.Closed(d)
		s.closeEmpty()
	}
	return nil
}

func didSave(s *server, p *protocol.DidSaveTextDocumentParams) {
	for f, path := range s.Folders.Holding(p.TextDocument.URI) {
		ws := f.Current()
		if ws == nil {
			continue
		}
		if d := s.Documents.Get(p.TextDocument.URI); d != nil && d.Desynced && d.Folder == f {
			s.recover(d, ws)
		}
		ws.DiskChanged([]string{path})
	}
}

// recover takes a lost document's text from the disk, where it was just saved.
func (s *server) recover(d *state.Document, ws *workspace.Workspace) {
	d.Folder.Drop(d.Path)
	text, ok := ws.View().Text(d.Path)
	if !ok {
		return
	}
	found := *d
	found.Desynced, found.Mapper = false, position.NewMapper(text, s.Client.Encoding)
	s.install(&found)
}

// didChangeWatchedFiles hands the client's file events to the workspaces. Of git's own
// files those count that tell of another commit. Where a `.brv` comes or goes, documents
// may belong to another project.
func didChangeWatchedFiles(s *server, p *protocol.DidChangeWatchedFilesParams) {
	changed, rehome := map[*state.Folder][]string{}, false
	for _, e := range p.Changes {
		for f, path := range s.Folders.Holding(e.URI) {
			if !strings.HasPrefix(path, ".git/") || workspace.MovesHead(path) {
				changed[f] = append(changed[f], path)
			}
			rehome = rehome || f.Outer == nil && strings.Contains("/"+path+"/", "/.brv/") && e.Type != protocol.FileChangeTypeChanged
		}
	}
	for f, paths := range changed {
		if ws := f.Current(); ws != nil {
			ws.DiskChanged(paths)
		}
	}
	if rehome {
		s.rehomeAll()
	}
}
