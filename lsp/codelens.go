package lsp

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/diagnostics"
	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/lsp/wire"
)

// lensFeature is the lenses over titles and code.
func lensFeature() feature {
	return feature{
		methods: map[string]method{
			protocol.MethodTextDocumentCodeLens: aboutWhole(lensDocument, codeLenses),
			protocol.MethodCodeLensResolve:      dispatch.Called(resolveCodeLens),
		},
		offer: func(_ *client.Features, caps *protocol.ServerCapabilities) {
			caps.CodeLensProvider = &protocol.CodeLensOptions{ResolveProvider: new(true)}
		},
	}
}

func lensDocument(p *protocol.CodeLensParams) uri.URI { return p.TextDocument.URI }

// codeLenses answers with the lenses of a document, whose titles are made when they are
// shown. What is not known at once comes with a refresh.
func codeLenses(ctx context.Context, sc *scene, _ *protocol.CodeLensParams) (any, error) {
	lenses, told := diagnostics.Lenses(ctx, sc.Scene)
	sc.server.diagnostics.LensTold(sc.Doc, told)
	if len(lenses) == 0 {
		return nil, nil
	}
	for i := range lenses {
		lenses[i].Command = protocol.Command{}
	}
	return render.List(lenses)
}

// resolveCodeLens fills in the title and the command.
func resolveCodeLens(s *server, lens *protocol.CodeLens) (dispatch.Work, error) {
	var data diagnostics.LensData
	if err := wire.ItemData("codeLens", lens.Data, &data); err != nil {
		return nil, err
	}
	sc, err := s.scene(data.URI)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		lens.Command = protocol.Command{Title: "As it was"} // nothing to say any more; a refresh takes the lens away
		if sc == nil {
			return lens, nil
		}
		if err := sc.Whole(ctx); err != nil {
			return nil, err
		}
		lenses, _ := diagnostics.Lenses(ctx, sc.Scene)
		for _, now := range lenses {
			var of diagnostics.LensData
			if json.Unmarshal(now.Data, &of) == nil && of.Kind == data.Kind {
				lens.Command = now.Command
			}
		}
		return lens, nil
	}, nil
}
