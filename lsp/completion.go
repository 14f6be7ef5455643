package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/lsp/wire"
	"github.com/brv-lsp/brv-lsp/workspace/complete"
)

// completionTriggers are the characters before a completion: of relations and marks, the next part of a path,
// lists and links, headings, quoted items.
var completionTriggers = []string{"@", "/", "[", "#", "\""}

// completion offers what can stand at the cursor, see [complete.At]. Targets of
// Markdown links are left to an editor that completes them itself.
func completion(ctx context.Context, sc *scene, p *protocol.CompletionParams) (any, error) {
	m, ok := sc.Mapper()
	if !ok {
		return nil, nil
	}
	offset := m.Offset(p.Position)
	found := complete.At(ctx, sc.View, sc.Path, offset)
	if len(found) == 0 {
		return nil, nil
	}
	list := &protocol.CompletionList{IsIncomplete: true, Items: []protocol.CompletionItem{}}
	for i, c := range found {
		if (c.Kind == "link" || c.OfLink) && sc.server.Client.BuiltinMarkdown {
			continue
		}
		list.Items = append(list.Items, render.CompletionItem(sc.Scene, m, offset, i, c))
	}
	return list, nil
}

// resolveCompletion adds the documentation of an item's entry. If an entry with a list of related entries
// gets a relation in its body, it also adds the edit that adds it to the list; only for clients that resolve
// such edits.
func resolveCompletion(s *server, item *protocol.CompletionItem) (dispatch.Work, error) {
	var about render.Completed
	if len(item.Data) == 0 {
		return dispatch.Answer(item), nil // nothing to add
	}
	if err := wire.ItemData("completionItem", item.Data, &about); err != nil {
		return nil, err
	}
	sc, err := s.scene(about.URI)
	if err != nil || sc == nil {
		return dispatch.Answer(item), nil
	}
	return func(ctx context.Context) (any, error) {
		if err := sc.Ready(ctx); err != nil {
			return nil, err
		}
		render.CompletionDoc(sc.Scene, item, complete.Doc(sc.View, about.Entry))
		m, entry, ok := sc.Entry()
		if !ok || !about.Relates || !s.Client.ResolvesEdits {
			return item, nil
		}
		if edit, ok := complete.RelatedEdit(sc.View, entry.Path, about.Entry); ok {
			item.AdditionalTextEdits = []protocol.TextEdit{{Range: m.Bounds(edit.At), NewText: edit.New}}
		}
		return item, nil
	}, nil
}
