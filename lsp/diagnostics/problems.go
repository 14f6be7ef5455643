package diagnostics

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/workspace/diagnosis"
)

// problems returns the problems of the scene's document; ok is false if its text has
// moved on since the scene was taken.
func problems(ctx context.Context, sc *state.Scene) (items []protocol.Diagnostic, ok bool) {
	m, ok := sc.Current()
	if !ok {
		return nil, false
	}
	found, err := diagnosis.Of(ctx, sc.View, sc.Path, sc.Grades())
	if err != nil {
		sc.Session.Client.Log.Warn("problems", "document", sc.Path, "err", err)
		return nil, false
	}
	return render.Diagnostics(sc, m, found), true
}
