package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/render"
)

func definitionDocument(p *protocol.DefinitionParams) uri.URI { return p.TextDocument.URI }

// definition leads from a relation or mark to its entry and from what an entry names to
// the code; with several candidates to all of them, best first.
func definition(ctx context.Context, sc *scene, p *protocol.DefinitionParams) (any, error) {
	m, ok := sc.Mapper()
	if !ok {
		return nil, nil
	}
	targets, err := sc.Workspace.Definition(ctx, sc.View, sc.Path, m.Offset(p.Position))
	return render.Places(sc.Scene, m, targets, sc.server.Client.LinkSupport), err
}
