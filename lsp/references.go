package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

func referencesDocument(p *protocol.ReferenceParams) uri.URI { return p.TextDocument.URI }

// references lists every mention of an entry, also in comments of code, or the entries that name a symbol.
func references(ctx context.Context, sc *scene, p *protocol.ReferenceParams) (any, error) {
	m, ok := sc.mapper()
	if !ok {
		return nil, nil
	}
	targets, err := sc.ws.References(ctx, sc.view, sc.path, m.offset(p.Position), p.Context.IncludeDeclaration)
	if err != nil || len(targets) == 0 {
		return nil, err
	}
	return protocol.LocationSlice(sc.locations(targets)), nil
}
