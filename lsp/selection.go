package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/render"
)

// selectionFeature is selectionRange.
func selectionFeature() feature {
	return feature{
		methods: map[string]method{protocol.MethodTextDocumentSelectionRange: about(selectionDocument, selectionRanges)},
		offer: func(c *client.Features, caps *protocol.ServerCapabilities) {
			if !c.BuiltinMarkdown {
				caps.SelectionRangeProvider = protocol.Boolean(true)
			}
		},
	}
}

func selectionDocument(p *protocol.SelectionRangeParams) uri.URI { return p.TextDocument.URI }

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
