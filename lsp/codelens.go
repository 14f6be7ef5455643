package lsp

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/diagnostics"
	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/lsp/wire"
)

// codeLenses answers with the lenses of a document; their titles are made when they are shown. Lenses that
// are not known yet come with a refresh.
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
		lens.Command = protocol.Command{Title: "As it was"} // nothing to show any more; a refresh removes the lens
		if sc == nil {
			return lens, nil
		}
		if err := sc.Complete(ctx); err != nil {
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
