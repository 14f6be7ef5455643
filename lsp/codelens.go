package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/diagnostics"
	"github.com/brv-lsp/brv-lsp/lsp/render"
)

// codeLenses answers with the lenses of a document. Lenses that are not known yet come with a refresh.
func codeLenses(ctx context.Context, sc *scene, _ *protocol.CodeLensParams) (any, error) {
	lenses, told := diagnostics.Lenses(ctx, sc.Scene)
	sc.server.diagnostics.LensTold(sc.Doc, told)
	if len(lenses) == 0 {
		return nil, nil
	}
	return render.List(lenses)
}
