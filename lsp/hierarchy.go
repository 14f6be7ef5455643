package lsp

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/tree/markdown"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// Call hierarchy follows relations: an entry "calls" those that it mentions, and the code
// that it names. Type hierarchy follows the tree: a topic is the type of what it holds.
//
// VS Code asks only one server for each hierarchy of a document, so in code the language's own
// would be shut out. A client that registers them later is therefore told that they are for entries; others
// ask every server.

// hierarchyFeature is call hierarchy and type hierarchy.
func hierarchyFeature() feature {
	return feature{
		methods: map[string]method{
			protocol.MethodTextDocumentPrepareCallHierarchy: about(func(p *protocol.CallHierarchyPrepareParams) uri.URI { return p.TextDocument.URI }, prepareCalls),
			protocol.MethodCallHierarchyIncomingCalls:       called(incomingCalls),
			protocol.MethodCallHierarchyOutgoingCalls:       called(outgoingCalls),
			protocol.MethodTextDocumentPrepareTypeHierarchy: about(func(p *protocol.TypeHierarchyPrepareParams) uri.URI { return p.TextDocument.URI }, prepareTypes),
			protocol.MethodTypeHierarchySupertypes:          called(supertypes),
			protocol.MethodTypeHierarchySubtypes:            called(subtypes),
		},
		offer: func(c *clientFeatures, caps *protocol.ServerCapabilities) {
			if !c.registersCalls {
				caps.CallHierarchyProvider = protocol.Boolean(true)
			}
			if !c.registersTypes {
				caps.TypeHierarchyProvider = protocol.Boolean(true)
			}
		},
	}
}

// entryDocuments are the documents of the context tree.
const entryDocuments = "**/.brv/context-tree/**/*.md"

// registerHierarchies announces the hierarchies for entries alone.
func (s *server) registerHierarchies() {
	options, err := protocol.Marshal(&protocol.TextDocumentRegistrationOptions{
		DocumentSelector: &protocol.DocumentSelector{&protocol.TextDocumentFilterPattern{Scheme: ptr("file"), Pattern: protocol.Pattern(entryDocuments)}},
	})
	if err != nil {
		s.log.Error("hierarchies", "err", err)
		return
	}
	var all []protocol.Registration
	if s.client.registersCalls {
		all = append(all, protocol.Registration{ID: "brv-calls", Method: protocol.MethodTextDocumentPrepareCallHierarchy, RegisterOptions: options})
	}
	if s.client.registersTypes {
		all = append(all, protocol.Registration{ID: "brv-types", Method: protocol.MethodTextDocumentPrepareTypeHierarchy, RegisterOptions: options})
	}
	if all == nil {
		return
	}
	s.spawn("registering hierarchies", func() error {
		return s.conn.RegisterCapability(s.ctx, &protocol.RegistrationParams{Registrations: all})
	})
}

func prepareCalls(ctx context.Context, sc *scene, p *protocol.CallHierarchyPrepareParams) (any, error) {
	return sc.prepare(p.Position, func(offset int) (workspace.Item, bool) {
		return sc.ws.Mentioned(ctx, sc.view, sc.path, offset)
	})
}

func prepareTypes(ctx context.Context, sc *scene, p *protocol.TypeHierarchyPrepareParams) (any, error) {
	return sc.prepare(p.Position, func(offset int) (workspace.Item, bool) {
		return sc.ws.Kin(ctx, sc.view, sc.path, offset)
	})
}

// prepare answers with what stands at a position: items of both hierarchies look the same.
func (sc *scene) prepare(at protocol.Position, find func(offset int) (workspace.Item, bool)) (any, error) {
	m, ok := sc.mapper()
	if !ok {
		return nil, nil
	}
	item, ok := find(m.Offset(at))
	if !ok || !sc.stands(item.Place.Path) {
		return nil, nil
	}
	return marshalled([]protocol.TypeHierarchyItem{sc.hierarchyItem(sc.locator(), item)})
}

func incomingCalls(s *server, p *protocol.CallHierarchyIncomingCallsParams) (work, error) {
	return s.onItem(p.Item.URI, p.Item.Data, func(ctx context.Context, sc *scene, ref workspace.Ref) (any, error) {
		out, at := []protocol.CallHierarchyIncomingCall{}, sc.locator()
		for _, c := range sc.ws.MentionedBy(ctx, sc.view, ref) {
			if !sc.stands(c.Place.Path) {
				continue
			}
			from := protocol.CallHierarchyItem(sc.hierarchyItem(at, c.Item))
			out = append(out, protocol.CallHierarchyIncomingCall{From: from, FromRanges: at.file(c.Place.Path, c.Text).ranges(c.From)})
		}
		return marshalled(out)
	})
}

func outgoingCalls(s *server, p *protocol.CallHierarchyOutgoingCallsParams) (work, error) {
	return s.onItem(p.Item.URI, p.Item.Data, func(ctx context.Context, sc *scene, ref workspace.Ref) (any, error) {
		out, at := []protocol.CallHierarchyOutgoingCall{}, sc.locator()
		for _, c := range sc.ws.Mentions(ctx, sc.view, ref) {
			if !sc.stands(c.Place.Path) {
				continue
			}
			to := protocol.CallHierarchyItem(sc.hierarchyItem(at, c.Item))
			out = append(out, protocol.CallHierarchyOutgoingCall{To: to, FromRanges: at.file(sc.path, c.Text).ranges(c.From)})
		}
		return marshalled(out)
	})
}

func supertypes(s *server, p *protocol.TypeHierarchySupertypesParams) (work, error) {
	return s.onItem(p.Item.URI, p.Item.Data, func(_ context.Context, sc *scene, ref workspace.Ref) (any, error) {
		item, ok := sc.ws.Above(sc.view, ref)
		if !ok || !sc.stands(item.Place.Path) {
			return marshalled([]protocol.TypeHierarchyItem{})
		}
		return marshalled([]protocol.TypeHierarchyItem{sc.hierarchyItem(sc.locator(), item)})
	})
}

func subtypes(s *server, p *protocol.TypeHierarchySubtypesParams) (work, error) {
	return s.onItem(p.Item.URI, p.Item.Data, func(_ context.Context, sc *scene, ref workspace.Ref) (any, error) {
		out, at := []protocol.TypeHierarchyItem{}, sc.locator()
		for _, item := range sc.ws.Below(sc.view, ref) {
			if sc.stands(item.Place.Path) {
				out = append(out, sc.hierarchyItem(at, item))
			}
		}
		return marshalled(out)
	})
}

// onItem is the work of a question about an item that the client sends back. What it
// names is looked up in the folder of its document, and nowhere else.
func (s *server) onItem(u uri.URI, data protocol.LSPAny, do func(context.Context, *scene, workspace.Ref) (any, error)) (work, error) {
	var ref workspace.Ref
	if err := itemData("item", data, &ref); err != nil {
		return nil, err
	}
	sc, err := s.scene(u)
	if err != nil || sc == nil {
		return answer(nil), err
	}
	return func(ctx context.Context) (any, error) {
		if err := sc.ready(ctx); err != nil {
			return nil, err
		}
		return do(ctx, sc, ref)
	}, nil
}

// hierarchyItem renders an item; that of calls has the same fields.
func (sc *scene) hierarchyItem(at *locator, item workspace.Item) protocol.TypeHierarchyItem {
	f := at.file(item.Place.Path, item.Place.Text)
	raw, err := json.Marshal(item.Ref)
	if err != nil {
		raw = nil // strings always marshal
	}
	return protocol.TypeHierarchyItem{
		Name: oneLine(item.Name), Detail: ptr(oneLine(item.Detail)), Kind: itemKind(item), URI: f.uri,
		Range: f.mapper.Bounds(item.Whole), SelectionRange: f.mapper.Bounds(item.Place.At), Data: raw,
	}
}

func (f *located) ranges(all []markdown.Span) []protocol.Range {
	out := make([]protocol.Range, 0, len(all))
	for _, at := range all {
		out = append(out, f.mapper.Bounds(at))
	}
	return out
}

func itemKind(item workspace.Item) protocol.SymbolKind {
	switch item.Kind {
	case workspace.ItemDomain:
		return protocol.SymbolKindNamespace
	case workspace.ItemTopic:
		return protocol.SymbolKindPackage
	case workspace.ItemSymbol:
		return codeKind(item.Symbol)
	}
	return protocol.SymbolKindFile
}

func codeKind(k syntax.Kind) protocol.SymbolKind {
	switch k {
	case syntax.Method:
		return protocol.SymbolKindMethod
	case syntax.Class, syntax.Type:
		return protocol.SymbolKindClass
	case syntax.Interface:
		return protocol.SymbolKindInterface
	case syntax.Struct:
		return protocol.SymbolKindStruct
	case syntax.Enum:
		return protocol.SymbolKindEnum
	case syntax.Module:
		return protocol.SymbolKindModule
	case syntax.Constant:
		return protocol.SymbolKindConstant
	case syntax.Variable:
		return protocol.SymbolKindVariable
	}
	return protocol.SymbolKindFunction
}
