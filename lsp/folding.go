package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/tree/structure"
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
	client := &sc.server.Client.Features
	folds := []protocol.FoldingRange{}
	for _, f := range structure.Folds(e, client.FoldLimit) {
		at := m.Bounds(f.At)
		fold := protocol.FoldingRange{StartLine: at.Start.Line, EndLine: at.End.Line}
		if !client.FoldLines {
			first, _ := m.Lines(int(at.Start.Line), int(at.Start.Line))
			fold.StartCharacter, fold.EndCharacter = new(first.End.Character), new(at.End.Character)
		}
		if f.Kind == structure.FoldFrontmatter {
			fold.Kind = protocol.FoldingRangeKindRegion
		}
		folds = append(folds, fold)
	}
	return render.List(folds)
}
