package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/render"
)

// foldingRanges lists the foldable ranges of an entry; each leaves its first line visible.
func foldingRanges(_ context.Context, sc *scene, _ *protocol.FoldingRangeParams) (any, error) {
	m, e, ok := sc.Entry()
	if !ok {
		return nil, nil
	}
	return render.List(render.Folds(&sc.server.Client.Features, m, e))
}
