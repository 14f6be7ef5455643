package lsp

import (
	"context"
	"encoding/json"
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/tree/markdown"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// completionTriggers begin what can be completed: relations and marks, the next part of
// a path, lists and links, headings, quoted items.
var completionTriggers = []string{"@", "/", "[", "#", "\""}

func completionDocument(p *protocol.CompletionParams) uri.URI { return p.TextDocument.URI }

// completion offers what can stand at the cursor, see [workspace.Workspace.Complete]. Targets of
// Markdown links are left to an editor that completes them itself.
func completion(ctx context.Context, sc *scene, p *protocol.CompletionParams) (any, error) {
	m, ok := sc.mapper()
	if !ok {
		return nil, nil
	}
	offset := m.Offset(p.Position)
	found, err := sc.ws.Complete(ctx, sc.view, sc.path, offset)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	list := &protocol.CompletionList{IsIncomplete: true, Items: []protocol.CompletionItem{}}
	for i, c := range found {
		if (c.Kind == "link" || c.OfLink) && sc.server.client.builtinMarkdown {
			continue
		}
		list.Items = append(list.Items, sc.completionItem(m, offset, i, c))
	}
	return list, nil
}

// completionItem renders one completion. The workspace's order is its rank, so
// sortText is the position.
func (sc *scene) completionItem(m *position.Mapper, offset, rank int, c workspace.Completion) protocol.CompletionItem {
	client := &sc.server.client
	item := protocol.CompletionItem{
		Label:      c.Label,
		Kind:       completionKind(c.Kind),
		SortText:   protocol.NewOptional(fmt.Sprintf("%04d", rank)),
		FilterText: protocol.NewOptional(oneLine(c.Filter)),
		TextEdit:   completionEdit(m, offset, c, client.insertReplace),
		Data:       sc.completionData(c),
	}
	if c.Detail != "" {
		item.Detail = protocol.NewOptional(oneLine(c.Detail))
		if client.labelDetails {
			item.LabelDetails = &protocol.CompletionItemLabelDetails{Description: ptr(oneLine(c.Detail))}
		}
	}
	if c.Entry != "" && c.Kind != "heading" && !client.resolvesDocs {
		c.Doc = sc.ws.CompletionDoc(sc.view, c.Entry)
	}
	sc.document(&item, c.Doc)
	return item
}

// document gives an item its documentation.
func (sc *scene) document(item *protocol.CompletionItem, doc string) {
	switch {
	case doc == "":
	case sc.server.client.docMarkdown:
		item.Documentation = &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: fit(harmless(doc))}
	default:
		item.Documentation = protocol.String(fit(clean(doc)))
	}
}

// completionEdit is what a completion does: clients that can choose are told what inserting
// leaves behind the cursor and replacing does not.
func completionEdit(m *position.Mapper, offset int, c workspace.Completion, choice bool) protocol.CompletionItemTextEdit {
	whole := m.Bounds(c.Replace)
	if !choice {
		return &protocol.TextEdit{Range: whole, NewText: c.Insert}
	}
	before := m.Bounds(markdown.Span{Start: c.Replace.Start, End: min(max(offset, c.Replace.Start), c.Replace.End)})
	return &protocol.InsertReplaceEdit{NewText: c.Insert, Insert: before, Replace: whole}
}

// completed is what an item is about, for resolving it.
type completed struct {
	URI     uri.URI `json:"uri"`               // the document
	Entry   string  `json:"entry"`             // in the tree
	Relates bool    `json:"relates,omitempty"` // it becomes a relation in the document's body
}

func (sc *scene) completionData(c workspace.Completion) protocol.LSPAny {
	if c.Entry == "" || c.Kind == "heading" {
		return nil
	}
	raw, err := json.Marshal(completed{URI: sc.uri(sc.path), Entry: c.Entry, Relates: c.Relates})
	if err != nil {
		return nil
	}
	return raw
}

// resolveCompletion adds what an item's entry knows and, where an entry that lists its
// related ones gets a relation in its body, the edit that lists it there too. That is offered only to
// clients that say they resolve such edits.
func resolveCompletion(s *server, item *protocol.CompletionItem) (work, error) {
	var about completed
	if len(item.Data) == 0 {
		return answer(item), nil // nothing to add
	}
	if err := itemData("completionItem", item.Data, &about); err != nil {
		return nil, err
	}
	sc, err := s.scene(about.URI)
	if err != nil || sc == nil {
		return answer(item), nil
	}
	return func(ctx context.Context) (any, error) {
		if err := sc.ready(ctx); err != nil {
			return nil, err
		}
		sc.document(item, sc.ws.CompletionDoc(sc.view, about.Entry))
		m, entry, ok := sc.entry()
		if !ok || !about.Relates || !s.client.resolvesEdits {
			return item, nil
		}
		if edit, ok := sc.ws.RelatedEdit(sc.view, entry.Path, about.Entry); ok {
			item.AdditionalTextEdits = []protocol.TextEdit{{Range: m.Bounds(edit.At), NewText: edit.New}}
		}
		return item, nil
	}, nil
}

func completionKind(kind string) protocol.CompletionItemKind {
	switch kind {
	case "domain", "topic":
		return protocol.CompletionItemKindFolder
	case "entry", "heading":
		return protocol.CompletionItemKindReference
	case "link":
		return protocol.CompletionItemKindFile
	case "key":
		return protocol.CompletionItemKindProperty
	case "value":
		return protocol.CompletionItemKindEnumMember
	}
	return protocol.CompletionItemKindText
}
