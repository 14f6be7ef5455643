package lsp

import (
	"context"
	"errors"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// scene is what a request is about: one document and the state of its workspace,
// taken together on the read loop.
type scene struct {
	folder *folder
	path   string               // of the document, inside the folder
	ws     *workspace.Workspace // nil while the workspace opens
	view   *workspace.View
	doc    *document // nil if the document is not open
	server *server

	standing *workspace.Standing // see stands
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
		sc.ws.FollowSoon()
	}
	return sc, nil
}

// ready waits until the workspace is open, for [treePatience] at most: then the view may
// have a part of the tree, with what the document refers to. A document that changed while
// the request waited makes the request obsolete.
func (sc *scene) ready(ctx context.Context) error {
	if sc.view != nil && !sc.view.Reading() {
		return nil
	}
	ws, err := sc.folder.wait(ctx)
	if err != nil {
		return err
	}
	sc.ws, sc.view = ws, ws.Around(sc.path)
	return sc.unchanged()
}

// whole waits until all of the context tree is read: for what is wrong, or changes what it
// should not, where a part is missing.
func (sc *scene) whole(ctx context.Context) error {
	if sc.view != nil && !sc.view.Reading() {
		return nil
	}
	ws, err := sc.folder.wait(ctx)
	if err == nil {
		err = ws.WaitTree(ctx)
	}
	if err != nil {
		return err
	}
	sc.ws, sc.view = ws, ws.View()
	return sc.unchanged()
}

// unchanged refuses a document that is not the one that the request was about.
func (sc *scene) unchanged() error {
	if sc.doc != nil && sc.server.buffers.get(sc.doc.uri) != sc.doc {
		return protocol.ErrContentModified
	}
	return nil
}

// obsolete reports whether the client has use for the word that an answer is about a
// text that is gone: it drops the answer, or asks again.
func (sc *scene) obsolete(result any) bool {
	if result == nil || sc.doc == nil || !sc.server.client.dropsStale {
		return false
	}
	now := sc.server.buffers.get(sc.doc.uri)
	return now == nil || now.mapper != sc.doc.mapper
}

// mapper returns the document's coordinates: of the buffer if it is open, else of
// the file as the workspace knows it.
func (sc *scene) mapper() (*position.Mapper, bool) {
	if sc.doc != nil {
		return sc.doc.mapper, true
	}
	text, ok := sc.view.Text(sc.path)
	return position.NewMapper(text, sc.server.client.encoding), ok
}

// entry is the scene's document as an entry, if the view has the same text.
func (sc *scene) entry() (*position.Mapper, *format.Entry, bool) {
	path, ok := sc.view.EntryPath(sc.path)
	if !ok {
		return nil, nil, false
	}
	e, ok := sc.view.Tree().Entry(path)
	if !ok {
		return nil, nil, false
	}
	m, ok := sc.present()
	return m, e, ok
}

// present is the scene's document, if the view has the same text.
func (sc *scene) present() (m *position.Mapper, ok bool) {
	text, known := sc.view.Text(sc.path)
	switch {
	case !known || sc.doc != nil && text != sc.doc.text():
		return nil, false
	case sc.doc != nil:
		return sc.doc.mapper, true
	}
	return position.NewMapper(text, sc.server.client.encoding), true
}

// uri names a file of the scene's folder, as the client spells it if it is open.
func (sc *scene) uri(path string) uri.URI {
	if d := sc.server.buffers.at(sc.folder, path); d != nil {
		return d.uri
	}
	return sc.folder.uri(path)
}

// stands reports whether a file of the folder is still there: what is not is named in no
// answer.
func (sc *scene) stands(path string) bool {
	if sc.server.buffers.at(sc.folder, path) != nil {
		return true
	}
	if sc.standing == nil {
		sc.standing = sc.view.Standing()
	}
	return sc.standing.Has(path)
}

// about makes the table entry of a call about a document. The parameters name
// it, the scene is taken on the read loop, and do runs beside it. Such calls are
// passive, sent by the editor on its own: a document in no workspace folder and
// a failure get an empty answer, the latter also a line in the log.
func about[P any](document func(*P) uri.URI, do func(context.Context, *scene, *P) (any, error)) method {
	return aboutBy((*scene).ready, document, do)
}

// aboutWhole is about for what a part of the context tree is not enough for.
func aboutWhole[P any](document func(*P) uri.URI, do func(context.Context, *scene, *P) (any, error)) method {
	return aboutBy((*scene).whole, document, do)
}

func aboutBy[P any](wait func(*scene, context.Context) error, document func(*P) uri.URI, do func(context.Context, *scene, *P) (any, error)) method {
	return called(func(s *server, p *P) (work, error) {
		sc, err := s.scene(document(p))
		if err != nil || sc == nil {
			return answer(nil), err
		}
		return func(ctx context.Context) (any, error) {
			err := wait(sc, ctx)
			if err == nil {
				var result any
				if result, err = do(ctx, sc, p); err == nil && sc.obsolete(result) {
					err = protocol.ErrContentModified
				}
				if err == nil {
					return result, nil
				}
			}
			if errors.Is(err, protocol.ErrContentModified) && !s.client.dropsStale {
				return nil, nil // the client would show the error
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
