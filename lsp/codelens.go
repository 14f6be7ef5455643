package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/diagnostics"
	"github.com/brv-lsp/brv-lsp/lsp/markup"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/workspace/describe"
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

// inlayHints shows what entries are called.
func inlayHints(_ context.Context, sc *scene, p *protocol.InlayHintParams) (any, error) {
	m, _, ok := sc.Entry()
	if !ok || !sc.Settings().InlayHints.Titles {
		return nil, nil
	}
	walk, hints := m.Walk(), []protocol.InlayHint{}
	for _, h := range describe.Hints(sc.View, sc.Path, m.Span(p.Range)) {
		hints = append(hints, protocol.InlayHint{
			Position: walk.Position(h.At), Label: protocol.String(markup.OneLine(h.Text)), PaddingLeft: new(true),
		})
	}
	return render.List(hints)
}
