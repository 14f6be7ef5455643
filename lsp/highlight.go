package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// documentHighlights shows what in the file stands for the same as what is under the
// cursor.
func documentHighlights(ctx context.Context, sc *scene, p *protocol.DocumentHighlightParams) (any, error) {
	m, ok := sc.Current()
	if !ok {
		return nil, nil
	}
	found := navigate.Occurrences(ctx, sc.View, sc.Path, m.Offset(p.Position))
	if len(found) == 0 {
		return nil, nil
	}
	walk, out := m.Walk(), make([]protocol.DocumentHighlight, 0, len(found))
	for _, o := range found {
		h := protocol.DocumentHighlight{Range: walk.Bounds(o.At), Kind: protocol.DocumentHighlightKindRead}
		if o.Declares {
			h.Kind = protocol.DocumentHighlightKindWrite
		}
		out = append(out, h)
	}
	return render.List(out)
}
