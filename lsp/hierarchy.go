package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/lsp/wire"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// Call hierarchy follows relations: an entry "calls" those that it mentions, and the code
// that it names. Type hierarchy follows the tree: a topic is the type of what it holds.
//
// VS Code asks only one server for each hierarchy of a document, so in code the language's own
// would be shut out. A client that registers them later is therefore told that they are for entries; others
// ask every server.

// entryDocuments are the documents of the context tree.
const entryDocuments = "**/.brv/context-tree/**/*.md"

// registerHierarchies announces the hierarchies for entries alone.
func (s *server) registerHierarchies() {
	options, err := protocol.Marshal(&protocol.TextDocumentRegistrationOptions{
		DocumentSelector: &protocol.DocumentSelector{&protocol.TextDocumentFilterPattern{Scheme: new("file"),
			Pattern: protocol.Pattern(entryDocuments)}},
	})
	if err != nil {
		s.Client.Log.Error("hierarchies", "err", err)
		return
	}
	var all []protocol.Registration
	if s.Client.RegistersCalls {
		all = append(all, protocol.Registration{ID: "brv-calls", Method: protocol.MethodTextDocumentPrepareCallHierarchy,
			RegisterOptions: options})
	}
	if s.Client.RegistersTypes {
		all = append(all, protocol.Registration{ID: "brv-types", Method: protocol.MethodTextDocumentPrepareTypeHierarchy,
			RegisterOptions: options})
	}
	if all != nil {
		s.Client.Register("hierarchies", all...)
	}
}

func prepareCalls(ctx context.Context, sc *scene, p *protocol.CallHierarchyPrepareParams) (any, error) {
	return sc.prepare(p.Position, func(offset int) (navigate.Item, bool) {
		return navigate.Mentioned(ctx, sc.View, sc.Path, offset)
	})
}

func prepareTypes(ctx context.Context, sc *scene, p *protocol.TypeHierarchyPrepareParams) (any, error) {
	return sc.prepare(p.Position, func(offset int) (navigate.Item, bool) {
		return navigate.Kin(ctx, sc.View, sc.Path, offset)
	})
}

// prepare answers with what stands at a position: items of both hierarchies look the same.
func (sc *scene) prepare(at protocol.Position, find func(offset int) (navigate.Item, bool)) (any, error) {
	m, ok := sc.Mapper()
	if !ok {
		return nil, nil
	}
	item, ok := find(m.Offset(at))
	if !ok || !sc.Stands(item.Place.Path) {
		return nil, nil
	}
	return render.List([]protocol.TypeHierarchyItem{render.HierarchyItem(render.NewLocator(sc.Scene), item)})
}

func incomingCalls(s *server, p *protocol.CallHierarchyIncomingCallsParams) (dispatch.Work, error) {
	return s.onItem(p.Item.URI, p.Item.Data, func(ctx context.Context, sc *scene, ref navigate.Ref) (any, error) {
		out, at := []protocol.CallHierarchyIncomingCall{}, render.NewLocator(sc.Scene)
		for _, c := range navigate.MentionedBy(ctx, sc.View, ref) {
			if !sc.Stands(c.Place.Path) {
				continue
			}
			from := protocol.CallHierarchyItem(render.HierarchyItem(at, c.Item))
			out = append(out, protocol.CallHierarchyIncomingCall{From: from, FromRanges: at.File(c.Place.Path, c.Text).Ranges(c.From)})
		}
		return render.List(out)
	})
}

func outgoingCalls(s *server, p *protocol.CallHierarchyOutgoingCallsParams) (dispatch.Work, error) {
	return s.onItem(p.Item.URI, p.Item.Data, func(ctx context.Context, sc *scene, ref navigate.Ref) (any, error) {
		out, at := []protocol.CallHierarchyOutgoingCall{}, render.NewLocator(sc.Scene)
		for _, c := range navigate.Mentions(ctx, sc.View, ref) {
			if !sc.Stands(c.Place.Path) {
				continue
			}
			to := protocol.CallHierarchyItem(render.HierarchyItem(at, c.Item))
			out = append(out, protocol.CallHierarchyOutgoingCall{To: to, FromRanges: at.File(sc.Path, c.Text).Ranges(c.From)})
		}
		return render.List(out)
	})
}

func supertypes(s *server, p *protocol.TypeHierarchySupertypesParams) (dispatch.Work, error) {
	return s.onItem(p.Item.URI, p.Item.Data, func(_ context.Context, sc *scene, ref navigate.Ref) (any, error) {
		item, ok := navigate.Above(sc.View, ref)
		if !ok || !sc.Stands(item.Place.Path) {
			return render.List([]protocol.TypeHierarchyItem{})
		}
		return render.List([]protocol.TypeHierarchyItem{render.HierarchyItem(render.NewLocator(sc.Scene), item)})
	})
}

func subtypes(s *server, p *protocol.TypeHierarchySubtypesParams) (dispatch.Work, error) {
	return s.onItem(p.Item.URI, p.Item.Data, func(_ context.Context, sc *scene, ref navigate.Ref) (any, error) {
		out, at := []protocol.TypeHierarchyItem{}, render.NewLocator(sc.Scene)
		for _, item := range navigate.Below(sc.View, ref) {
			if sc.Stands(item.Place.Path) {
				out = append(out, render.HierarchyItem(at, item))
			}
		}
		return render.List(out)
	})
}

// onItem is the work of a question about an item that the client sends back. What it
// names is looked up in the folder of its document, and nowhere else.
func (s *server) onItem(
	u uri.URI, data protocol.LSPAny, do func(context.Context, *scene, navigate.Ref) (any, error),
) (dispatch.Work, error) {
	var ref navigate.Ref
	if err := wire.ItemData("item", data, &ref); err != nil {
		return nil, err
	}
	sc, err := s.scene(u)
	if err != nil || sc == nil {
		return dispatch.Answer(nil), err
	}
	return func(ctx context.Context) (any, error) {
		if err := sc.Ready(ctx); err != nil {
			return nil, err
		}
		return do(ctx, sc, ref)
	}, nil
}
