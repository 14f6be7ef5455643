package lsp

import (
	"context"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/workspace/describe"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// definition leads from a relation or mark to its entry and from what an entry or document names to
// the code; with several candidates to all of them, best first.
func definition(ctx context.Context, sc *scene, p *protocol.DefinitionParams) (any, error) {
	m, ok := sc.Mapper()
	if !ok {
		return nil, nil
	}
	targets := navigate.Definition(ctx, sc.View, sc.Path, m.Offset(p.Position))
	describe.Followed(sc.View, targets)
	if sc.server.Client.BuiltinMarkdown {
		targets = slices.DeleteFunc(targets, func(t navigate.Target) bool { return t.Markdown })
	}
	return render.Places(sc.Scene, m, targets, sc.server.Client.LinkSupport), nil
}
