package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/markup"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/workspace/describe"
)

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
