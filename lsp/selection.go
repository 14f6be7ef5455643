package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/render"
)

// selectionRanges says for each cursor what a selection grows to, step by step.
func selectionRanges(_ context.Context, sc *scene, p *protocol.SelectionRangeParams) (any, error) {
	m, e, ok := sc.Entry()
	if !ok {
		return nil, nil
	}
	offsets := make([]int, len(p.Positions))
	for i, at := range p.Positions {
		offsets[i] = m.Offset(at)
	}
	return render.List(render.Selections(sc.Scene, m, e, offsets))
}
