package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/workspace"
)

func definitionDocument(p *protocol.DefinitionParams) uri.URI { return p.TextDocument.URI }

// definition leads from a relation or mark to its entry and from what an entry names to
// the code; with several candidates to all of them, best first.
func definition(ctx context.Context, sc *scene, p *protocol.DefinitionParams) (any, error) {
	m, ok := sc.mapper()
	if !ok {
		return nil, nil
	}
	targets, err := sc.ws.Definition(ctx, sc.view, sc.path, m.offset(p.Position))
	if err != nil || len(targets) == 0 {
		return nil, err
	}
	if !sc.server.client.linkSupport {
		return protocol.LocationSlice(sc.locations(targets)), nil
	}
	links := make(protocol.DefinitionLinkSlice, 0, len(targets))
	for _, t := range targets {
		at := sc.targetRange(t)
		link := protocol.DefinitionLink{TargetURI: sc.uri(t.Path), TargetRange: at, TargetSelectionRange: at}
		if t.Origin != (tree.Span{}) {
			link.OriginSelectionRange = ptr(m.bounds(t.Origin))
		}
		links = append(links, link)
	}
	return links, nil
}

// locations renders targets for clients and requests without origin ranges.
func (sc *scene) locations(targets []workspace.Target) []protocol.Location {
	out := make([]protocol.Location, 0, len(targets))
	for _, t := range targets {
		out = append(out, protocol.Location{URI: sc.uri(t.Path), Range: sc.targetRange(t)})
	}
	return out
}

func (sc *scene) targetRange(t workspace.Target) protocol.Range {
	return newMapper(t.Text, sc.server.client.encoding).bounds(t.At)
}
