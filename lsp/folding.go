package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/render"
)

// foldingFeature is foldingRange.
func foldingFeature() feature {
	return feature{
		methods: map[string]method{protocol.MethodTextDocumentFoldingRange: about(foldingDocument, foldingRanges)},
		offer: func(c *client.Features, caps *protocol.ServerCapabilities) {
			if !c.BuiltinMarkdown {
				caps.FoldingRangeProvider = protocol.Boolean(true)
			}
		},
	}
}

func foldingDocument(p *protocol.FoldingRangeParams) uri.URI { return p.TextDocument.URI }

// foldingRanges lists what of an entry can be folded: each fold leaves its first line.
func foldingRanges(_ context.Context, sc *scene, _ *protocol.FoldingRangeParams) (any, error) {
	m, e, ok := sc.Entry()
	if !ok {
		return nil, nil
	}
	return render.List(render.Folds(&sc.server.Client.Features, m, e))
}
