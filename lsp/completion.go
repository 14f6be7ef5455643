package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/workspace"
)

// maxCompletions bounds an answer; the client asks again while the user types.
const maxCompletions = 100

func completionDocument(p *protocol.CompletionParams) uri.URI { return p.TextDocument.URI }

// completion offers relation paths behind "@" and in `related`, frontmatter keys
// and their values, and in code the paths behind "@brv:".
func completion(ctx context.Context, sc *scene, p *protocol.CompletionParams) (any, error) {
	m, ok := sc.mapper()
	if !ok {
		return nil, nil
	}
	found, err := sc.ws.Complete(ctx, sc.view, sc.path, m.offset(p.Position))
	if err != nil || len(found) == 0 {
		return nil, err
	}
	list := &protocol.CompletionList{IsIncomplete: true, Items: []protocol.CompletionItem{}}
	for i, c := range found[:min(len(found), maxCompletions)] {
		list.Items = append(list.Items, sc.completionItem(m, i, c))
	}
	return list, nil
}

// completionItem renders one completion. The workspace's order is its rank, so
// sortText is the position; filterText is what the user sees being typed, so
// that the client does not drop an entry that was found by its title.
func (sc *scene) completionItem(m *mapper, rank int, c workspace.Completion) protocol.CompletionItem {
	client := &sc.server.client
	item := protocol.CompletionItem{
		Label:      c.Label,
		Kind:       completionKind(c.Kind),
		SortText:   protocol.NewOptional(fmt.Sprintf("%04d", rank)),
		FilterText: protocol.NewOptional(c.Insert + " " + c.Detail),
		TextEdit:   &protocol.TextEdit{Range: m.bounds(c.Replace), NewText: c.Insert},
	}
	if c.Detail != "" {
		item.Detail = protocol.NewOptional(oneLine(c.Detail))
		if client.labelDetails {
			item.LabelDetails = &protocol.CompletionItemLabelDetails{Description: ptr(oneLine(c.Detail))}
		}
	}
	switch {
	case c.Doc == "":
	case client.docMarkdown:
		item.Documentation = &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: fit(sanitize(c.Doc))}
	default:
		item.Documentation = protocol.String(fit(clean(c.Doc)))
	}
	return item
}

func completionKind(kind string) protocol.CompletionItemKind {
	switch kind {
	case "domain", "topic":
		return protocol.CompletionItemKindFolder
	case "entry":
		return protocol.CompletionItemKindReference
	case "key":
		return protocol.CompletionItemKindProperty
	case "value":
		return protocol.CompletionItemKindEnumMember
	}
	return protocol.CompletionItemKindText
}
