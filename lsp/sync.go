package lsp

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// document is one open buffer at one version. It is immutable: a change makes a
// new one, so that a request keeps the text it was sent for.
type document struct {
	uri      uri.URI
	version  int32
	language string // the editor's name of it
	mapper   *position.Mapper
	folder   *folder // nil outside of every workspace folder
	path     string  // inside folder, with slashes
	opening  uint64  // numbers the didOpen that it comes from

	// lost means that a change could not be understood: the text is no longer
	// the editor's, and answers about positions in it would be wrong. The next
	// full text, saving, or reopening ends it.
	lost bool
}

func (d *document) text() string { return d.mapper.Text }

// buffers are the open documents. The read loop is the only writer; other
// goroutines (diagnostics, refreshes) read.
type buffers struct {
	mu   sync.Mutex // guards byKey
	docs map[string]*document
}

// bufferKey identifies a document however its URI is spelled: a file by its
// path, anything else by its URI.
func bufferKey(u uri.URI) string {
	if path, ok := filePath(u); ok {
		return path
	}
	return string(u)
}

func (b *buffers) get(u uri.URI) *document {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.docs[bufferKey(u)]
}

func (b *buffers) put(d *document) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.docs[bufferKey(d.uri)] = d
}

func (b *buffers) remove(u uri.URI) *document {
	b.mu.Lock()
	defer b.mu.Unlock()
	d := b.docs[bufferKey(u)]
	delete(b.docs, bufferKey(u))
	return d
}

// all returns the open documents in no particular order.
func (b *buffers) all() []*document {
	b.mu.Lock()
	defer b.mu.Unlock()
	docs := make([]*document, 0, len(b.docs))
	for _, d := range b.docs {
		docs = append(docs, d)
	}
	return docs
}

// at returns the open document of a folder's file.
func (b *buffers) at(f *folder, path string) *document {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range b.docs {
		if d.folder == f && d.path == path {
			return d
		}
	}
	return nil
}

func didOpen(s *server, p *protocol.DidOpenTextDocumentParams) error {
	u := uri.URI(strings.Clone(string(p.TextDocument.URI)))
	f, path := s.home(u)
	s.install(&document{
		opening: s.openings.Add(1), uri: u, version: p.TextDocument.Version, folder: f, path: path,
		language: strings.Clone(string(p.TextDocument.LanguageID)),
		mapper:   position.NewMapper(p.TextDocument.Text, s.client.Encoding),
	})
	return nil
}

func didChange(s *server, raw jsonrpc2.RawMessage) error {
	p, err := position.DecodeChanges(raw)
	u, uerr := uri.Parse(p.TextDocument.URI)
	if uerr != nil {
		return fmt.Errorf("didChange: %w", uerr)
	}
	old := s.buffers.get(u)
	if old == nil {
		return fmt.Errorf("%s: changed without being open", u)
	}
	defer s.lostOnPanic(old)
	next := *old
	if err == nil {
		next.mapper, err = old.mapper.Apply(p.Changes)
	}
	next.lost = err != nil || old.lost && !position.ReplacesAll(p.Changes)
	if v := p.TextDocument.Version; v != nil {
		next.version = int32(max(math.MinInt32, min(*v, math.MaxInt32)))
		if next.version <= old.version && !position.ReplacesAll(p.Changes) {
			next.lost = true
			err = errors.Join(err, fmt.Errorf("%s: version %d after %d: the change counts on another text", u, next.version, old.version))
		}
	}
	if next.lost {
		s.edits.forget(u)
	} else {
		s.edits.note(u, old.text(), next.text(), s.client.Now())
	}
	s.install(&next)
	s.idle.edited(&next)
	return err
}

// lostOnPanic is deferred by what changes a document: half a change is worse than none.
func (s *server) lostOnPanic(d *document) {
	if r := recover(); r != nil {
		lost := *d
		lost.lost = true
		s.buffers.put(&lost)
		panic(r)
	}
}

func didClose(s *server, p *protocol.DidCloseTextDocumentParams) error {
	d := s.buffers.remove(p.TextDocument.URI)
	if d == nil {
		return fmt.Errorf("%s: closed without being open", p.TextDocument.URI)
	}
	if d.folder != nil {
		d.folder.drop(d.path)
		s.diagnostics.closed(d)
		s.closeEmpty()
	}
	return nil
}

func didSave(s *server, p *protocol.DidSaveTextDocumentParams) error {
	for f, path := range s.holding(p.TextDocument.URI) {
		ws := f.current()
		if ws == nil {
			continue
		}
		if d := s.buffers.get(p.TextDocument.URI); d != nil && d.lost && d.folder == f {
			s.recover(d, ws)
		}
		ws.DiskChanged([]string{path})
	}
	return nil
}

// recover takes a lost document's text from the disk, where it was just saved.
func (s *server) recover(d *document, ws *workspace.Workspace) {
	d.folder.drop(d.path)
	text, ok := ws.View().Text(d.path)
	if !ok {
		return
	}
	found := *d
	found.lost, found.mapper = false, position.NewMapper(text, s.client.Encoding)
	s.install(&found)
}

// install makes d the current state of its buffer, for the workspace as well.
func (s *server) install(d *document) {
	s.buffers.put(d)
	if d.folder == nil {
		return
	}
	d.folder.overlay(d.path, d.text())
	s.diagnostics.touched()
}
