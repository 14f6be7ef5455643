package render

import (
	"encoding/json"
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/lsp/markup"
	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/workspace/complete"
)

// CompletionItem renders one completion. sortText is the rank, since the workspace has ordered the completions.
func CompletionItem(sc *state.Scene, m *position.Mapper, offset, rank int, c complete.Completion) protocol.CompletionItem {
	client := &sc.Session.Client.Features
	item := protocol.CompletionItem{
		Label:      c.Label,
		Kind:       completionKind(c.Kind),
		SortText:   protocol.NewOptional(fmt.Sprintf("%04d", rank)),
		FilterText: protocol.NewOptional(markup.OneLine(c.Filter)),
		TextEdit:   completionEdit(m, offset, c, client.InsertReplace),
		Data:       completionData(sc, c),
	}
	if c.Detail != "" {
		item.Detail = protocol.NewOptional(markup.OneLine(c.Detail))
		if client.LabelDetails {
			item.LabelDetails = &protocol.CompletionItemLabelDetails{Description: new(markup.OneLine(c.Detail))}
		}
	}
	if c.Entry != "" && c.Kind != "heading" && !client.ResolvesDocs {
		c.Doc = complete.Doc(sc.View, c.Entry)
	}
	CompletionDoc(sc, &item, c.Doc)
	return item
}

// CompletionDoc adds the documentation to an item.
func CompletionDoc(sc *state.Scene, item *protocol.CompletionItem, doc string) {
	switch {
	case doc == "":
	case sc.Session.Client.DocMarkdown:
		item.Documentation = &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: markup.Fit(markup.Harmless(doc))}
	default:
		item.Documentation = protocol.String(markup.Fit(markup.Clean(doc)))
	}
}

// completionEdit returns the edit of a completion. A client that lets the user choose gets two ranges: inserting
// keeps the text after the cursor, and replacing does not.
func completionEdit(m *position.Mapper, offset int, c complete.Completion, choice bool) protocol.CompletionItemTextEdit {
	whole := m.Bounds(c.Replace)
	if !choice {
		return &protocol.TextEdit{Range: whole, NewText: c.Insert}
	}
	before := m.Bounds(markdown.Span{Start: c.Replace.Start, End: min(max(offset, c.Replace.Start), c.Replace.End)})
	return &protocol.InsertReplaceEdit{NewText: c.Insert, Insert: before, Replace: whole}
}

// Completed identifies the entry or file of an item, so that it can be resolved.
type Completed struct {
	URI     uri.URI `json:"uri"`               // the document
	Entry   string  `json:"entry"`             // its path in the tree
	Relates bool    `json:"relates,omitempty"` // it becomes a relation in the document's body
}

func completionData(sc *state.Scene, c complete.Completion) protocol.LSPAny {
	if c.Entry == "" || c.Kind == "heading" {
		return nil
	}
	raw, err := json.Marshal(Completed{URI: sc.URI(sc.Path), Entry: c.Entry, Relates: c.Relates})
	if err != nil {
		return nil
	}
	return raw
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
