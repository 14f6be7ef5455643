package lsp

import (
	"context"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

func linkDocument(p *protocol.DocumentLinkParams) uri.URI { return p.TextDocument.URI }

// documentLinks lists the relations and files an entry names, and the entries that the
// comments of a code file name. One that leads
// nowhere has no target: the editor shows nothing to click, and the diagnostic
// says why.
func documentLinks(ctx context.Context, sc *scene, _ *protocol.DocumentLinkParams) (any, error) {
	m, ok := sc.mapper()
	if !ok {
		return nil, nil
	}
	found, err := sc.ws.Links(ctx, sc.view, sc.path)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	links := make([]protocol.DocumentLink, 0, len(found))
	for _, l := range found {
		if l.Target == "" {
			continue
		}
		link := protocol.DocumentLink{Range: m.bounds(l.At), Target: ptr(sc.uri(l.Target))}
		if l.Tooltip != "" {
			link.Tooltip = ptr(oneLine(l.Tooltip))
		}
		links = append(links, link)
	}
	return marshalled(links)
}

// marshalled encodes a list of protocol values, for which the codec has a quick
// path only as a field of another value.
func marshalled[T any](list []T) (any, error) {
	raw, err := protocol.Marshal(list)
	return jsonrpc2.RawMessage(raw), err
}
