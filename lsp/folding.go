package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/render"
)

// foldingRanges lists what of an entry can be folded: each fold leaves its first line.
func foldingRanges(_ context.Context, sc *scene, _ *protocol.FoldingRangeParams) (any, error) {
	m, e, ok := sc.Entry()
	if !ok {
		return nil, nil
	}
	return render.List(render.Folds(&sc.server.Client.Features, m, e))
}
