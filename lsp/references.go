package lsp

import (
	"context"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// referenceChunk is how many references stand in one partial result: what fills a list
// on a screen some times over.
const referenceChunk = 100

// references lists every mention of an entry, also in comments of code, or the entries that name a symbol.
// A client that asks for partial results gets them in chunks, and nothing in the end, as the protocol wants it.
func references(ctx context.Context, sc *scene, p *protocol.ReferenceParams) (any, error) {
	m, ok := sc.Mapper()
	if !ok {
		return nil, nil
	}
	targets := navigate.References(ctx, sc.View, sc.Path, m.Offset(p.Position), p.Context.IncludeDeclaration)
	if sc.server.Client.BuiltinMarkdown {
		targets = slices.DeleteFunc(targets, func(t navigate.Target) bool { return t.Markdown })
	}
	if targets = sc.Existing(targets); len(targets) == 0 {
		return nil, nil
	}
	found := render.Locations(sc.Scene, targets)
	if p.PartialResultToken == nil {
		return protocol.LocationSlice(found), nil
	}
	for chunk := range slices.Chunk(found, referenceChunk) {
		if err := sc.server.Client.SendProgress(ctx, p.PartialResultToken, protocol.LocationSlice(chunk)); err != nil {
			return nil, err
		}
	}
	return protocol.LocationSlice{}, nil
}
