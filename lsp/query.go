package lsp

import (
	"context"

	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
)

// queryCommand answers a question from the context tree.
const queryCommand = render.CommandPrefix + "query"

// runQuery runs the command. A client that asks for partial results gets what was found while a model
// is asked about it.
func runQuery(ctx context.Context, sc *scene, req commandRequest) (any, error) {
	own, part := *req.own.(*consult.QueryRequest), req.PartialResultToken.ProgressToken
	if part == nil {
		return consult.Query(ctx, sc.View, own)
	}
	return consult.QueryTelling(ctx, sc.View, own, func(found *consult.QueryResponse) {
		if err := sc.server.Client.SendProgress(ctx, part, found); err != nil {
			sc.server.Client.Log.Debug("partial result", "err", err)
		}
	})
}
