package lsp

import (
	"context"
	"errors"
	"reflect"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// scene is the document and state of a request, with the server that keeps its effects.
type scene struct {
	*state.Scene
	server *server
}

// scene takes the state that a request about u is answered from; nil if u lies in no workspace
// folder.
func (s *server) scene(u uri.URI) (*scene, error) {
	base, err := s.Session.Scene(u)
	if base == nil {
		return nil, err
	}
	return &scene{base, s}, nil
}

// sceneOf is the state of a folder, for requests that are about no document.
func (s *server) sceneOf(f *state.Folder) *scene { return &scene{s.Session.SceneOf(f), s} }

// documentOf is the document that the parameters of a call name: those of all calls about one have it
// in the same field.
func documentOf(params any) uri.URI {
	return reflect.ValueOf(params).Elem().FieldByName("TextDocument").FieldByName("URI").Interface().(uri.URI)
}

// about makes the table entry of a call about a document. The parameters name
// it, the scene is taken on the read loop, and do runs beside it. Such calls are
// passive, sent by the editor on its own: a document in no workspace folder and
// a failure get an empty answer, the latter also a line in the log.
func about[P any](do func(context.Context, *scene, *P) (any, error)) method {
	return aboutBy((*scene).Ready, do)
}

// aboutWhole is about for what a part of the context tree is not enough for.
func aboutWhole[P any](do func(context.Context, *scene, *P) (any, error)) method {
	return aboutBy((*scene).Complete, do)
}

func aboutBy[P any](wait func(*scene, context.Context) error, do func(context.Context, *scene, *P) (any, error)) method {
	return dispatch.Called(func(s *server, p *P) (dispatch.Work, error) {
		sc, err := s.scene(documentOf(p))
		if err != nil || sc == nil {
			return dispatch.Answer(nil), err
		}
		return func(ctx context.Context) (any, error) {
			err := wait(sc, ctx)
			if err == nil {
				var result any
				if result, err = do(ctx, sc, p); err == nil && sc.Obsolete(result) {
					err = protocol.ErrContentModified
				}
				if err == nil {
					return result, nil
				}
			}
			if errors.Is(err, protocol.ErrContentModified) && !s.Client.DropsStale {
				return nil, nil // the client would show the error
			}
			var wire *jsonrpc2.Error
			if ctx.Err() != nil || errors.As(err, &wire) {
				return nil, err
			}
			s.Client.Log.Warn("no answer", "document", sc.Path, "err", err)
			return nil, nil
		}, nil
	})
}

// onDocument makes the table entry of a call about a document that the user made: unlike
// [about], a failure is the answer. A document in no workspace folder gets an empty one.
func onDocument[P any](do func(context.Context, *scene, *P) (any, error)) method {
	return dispatch.Called(func(s *server, p *P) (dispatch.Work, error) {
		sc, err := s.scene(documentOf(p))
		if err != nil || sc == nil {
			return dispatch.Answer(nil), err
		}
		return func(ctx context.Context) (any, error) {
			if err := sc.Complete(ctx); err != nil {
				return nil, err
			}
			return do(ctx, sc, p)
		}, nil
	})
}

// requestError says by its code whether a request was wrong, or could not be carried out.
func requestError(err error) error {
	if errors.Is(err, workspace.ErrRequest) {
		return jsonrpc2.NewError(jsonrpc2.InvalidParams, err.Error())
	}
	return err
}

// selection is the place that an action is about, as it travels through the client in a
// command's argument or an action's data.
type selection struct {
	URI     uri.URI        `json:"uri"`
	Range   protocol.Range `json:"range"`
	Version *int32         `json:"version,omitempty"` // of the buffer that was looked at
	ID      string         `json:"id,omitempty"`      // which change; "" means to curate
}

// stale reports whether the buffer has moved on since sel was made, or its text is not known.
func (sc *scene) stale(sel selection) bool {
	return sc.Doc != nil && sc.Doc.Desynced || sel.Version != nil && (sc.Doc == nil || sc.Doc.Version != *sel.Version)
}
