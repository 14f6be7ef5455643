package lsp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/workspace"
)

// document is one open buffer at one version. It is immutable: a change makes a
// new one, so that a request keeps the text it was sent for.
type document struct {
	uri     uri.URI
	version int32
	mapper  *mapper
	folder  *folder // nil outside of every workspace folder
	path    string  // inside folder, with slashes
	opening uint64  // numbers the didOpen that it comes from

	// lost means that a change could not be understood: the text is no longer
	// the editor's, and answers about positions in it would be wrong. The next
	// full text, saving, or reopening ends it.
	lost bool
}

func (d *document) text() string { return d.mapper.text }

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
	for _, d := range b.all() {
		if d.folder == f && d.path == path {
			return d
		}
	}
	return nil
}

func didOpen(s *server, p *protocol.DidOpenTextDocumentParams) error {
	u := uri.URI(strings.Clone(string(p.TextDocument.URI)))
	f, path := s.locate(u)
	s.install(&document{
		opening: s.openings.Add(1), uri: u, version: p.TextDocument.Version, folder: f, path: path,
		mapper: newMapper(p.TextDocument.Text, s.client.encoding),
	})
	return nil
}

func didChange(s *server, raw jsonrpc2.RawMessage) error {
	p, err := decodeChanges(raw)
	u, uerr := uri.Parse(p.TextDocument.URI)
	if uerr != nil {
		return fmt.Errorf("didChange: %w", uerr)
	}
	old := s.buffers.get(u)
	if old == nil {
		return fmt.Errorf("%s: changed without being open", u)
	}
	next := *old
	if p.TextDocument.Version != nil {
		next.version = int32(*p.TextDocument.Version)
	}
	text := old.text()
	if err == nil {
		text, err = applyChanges(text, p.Changes, s.client.encoding)
	}
	next.lost = err != nil || old.lost && !replacesAll(p.Changes)
	next.mapper = newMapper(text, s.client.encoding)
	if next.lost {
		s.edits.forget(u)
	} else {
		s.edits.note(u, old.text(), text, s.opts.Now())
	}
	s.install(&next)
	return err
}

// replacesAll reports whether the changes contain a whole text, which makes up
// for anything that was lost before it.
func replacesAll(changes []contentChange) bool {
	for _, c := range changes {
		if c.Range == nil && c.Text != nil {
			return true
		}
	}
	return false
}

func didClose(s *server, p *protocol.DidCloseTextDocumentParams) error {
	d := s.buffers.remove(p.TextDocument.URI)
	if d == nil {
		return fmt.Errorf("%s: closed without being open", p.TextDocument.URI)
	}
	if d.folder != nil {
		d.folder.drop(d.path)
		s.diagnostics.closed(d)
	}
	return nil
}

func didSave(s *server, p *protocol.DidSaveTextDocumentParams) error {
	f, path := s.locate(p.TextDocument.URI)
	if f == nil {
		return nil
	}
	ws := f.current()
	if ws == nil {
		return nil
	}
	if d := s.buffers.get(p.TextDocument.URI); d != nil && d.lost {
		s.recover(d, ws)
	}
	ws.DiskChanged([]string{path})
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
	found.lost, found.mapper = false, newMapper(text, s.client.encoding)
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

// scene is what a request is about: one document and the state of its workspace,
// taken together on the read loop.
type scene struct {
	folder *folder
	path   string               // of the document, inside the folder
	ws     *workspace.Workspace // nil while the workspace opens
	view   *workspace.View
	doc    *document // nil if the document is not open
	server *server
}

// scene takes the state that a request about u is answered from. It is nil if u
// lies in no workspace folder: then there is nothing to say, and other language
// servers answer.
func (s *server) scene(u uri.URI) (*scene, error) {
	if u == "" {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, "textDocument.uri is missing")
	}
	sc := &scene{server: s, doc: s.buffers.get(u)}
	if sc.doc != nil {
		sc.folder, sc.path = sc.doc.folder, sc.doc.path
	} else {
		sc.folder, sc.path = s.locate(u)
	}
	if sc.folder == nil || sc.doc != nil && sc.doc.lost {
		return nil, nil
	}
	if sc.ws = sc.folder.current(); sc.ws != nil {
		sc.view = sc.ws.View()
	}
	return sc, nil
}

// ready waits until the workspace is open. A document that changed while the
// request waited makes the request obsolete.
func (sc *scene) ready(ctx context.Context) error {
	if sc.view != nil {
		return nil
	}
	ws, err := sc.folder.wait(ctx)
	if err != nil {
		return err
	}
	sc.ws, sc.view = ws, ws.View()
	if sc.doc != nil && sc.server.buffers.get(sc.doc.uri) != sc.doc {
		return protocol.ErrContentModified
	}
	return nil
}

// mapper returns the document's coordinates: of the buffer if it is open, else of
// the file as the workspace knows it.
func (sc *scene) mapper() (*mapper, bool) {
	if sc.doc != nil {
		return sc.doc.mapper, true
	}
	text, ok := sc.view.Text(sc.path)
	return newMapper(text, sc.server.client.encoding), ok
}

// uri names a file of the scene's folder, as the client spells it if it is open.
func (sc *scene) uri(path string) uri.URI {
	if d := sc.server.buffers.at(sc.folder, path); d != nil {
		return d.uri
	}
	return sc.folder.uri(path)
}

// about makes the table entry of a call about a document. The parameters name
// it, the scene is taken on the read loop, and do runs beside it. Such calls are
// passive, sent by the editor on its own: a document in no workspace folder and
// a failure get an empty answer, the latter also a line in the log.
func about[P any](document func(*P) uri.URI, do func(context.Context, *scene, *P) (any, error)) method {
	return called(func(s *server, p *P) (work, error) {
		sc, err := s.scene(document(p))
		if err != nil || sc == nil {
			return answer(nil), err
		}
		return func(ctx context.Context) (any, error) {
			err := sc.ready(ctx)
			if err == nil {
				var result any
				if result, err = do(ctx, sc, p); err == nil {
					return result, nil
				}
			}
			var wire *jsonrpc2.Error
			if ctx.Err() != nil || errors.As(err, &wire) {
				return nil, err
			}
			s.log.Warn("no answer", "document", sc.path, "err", err)
			return nil, nil
		}, nil
	})
}
