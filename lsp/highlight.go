package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// highlightFeature is documentHighlight.
func highlightFeature() feature {
	return feature{
		methods: map[string]method{protocol.MethodTextDocumentDocumentHighlight: about(highlightDocument, documentHighlights)},
		offer: func(_ *client.Features, caps *protocol.ServerCapabilities) {
			caps.DocumentHighlightProvider = protocol.Boolean(true)
		},
	}
}

func highlightDocument(p *protocol.DocumentHighlightParams) uri.URI { return p.TextDocument.URI }

// documentHighlights shows what in the file stands for the same as what is under the
// cursor.
func documentHighlights(ctx context.Context, sc *scene, p *protocol.DocumentHighlightParams) (any, error) {
	m, ok := sc.Present()
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
