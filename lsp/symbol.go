package lsp

import (
	"context"
	"encoding/json"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
	"github.com/brv-lsp/brv-lsp/lsp/markup"
	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/lsp/wire"
	"github.com/brv-lsp/brv-lsp/tree/structure"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// symbolFeature is documentSymbol (not where the editor has its own), workspace/symbol and its resolve.
func symbolFeature() feature {
	return feature{
		methods: map[string]method{
			protocol.MethodTextDocumentDocumentSymbol: about(symbolDocument, documentSymbols),
			protocol.MethodWorkspaceSymbol:            dispatch.Called(workspaceSymbols),
			protocol.MethodWorkspaceSymbolResolve:     dispatch.Called(resolveSymbol),
		},
		offer: func(c *client.Features, caps *protocol.ServerCapabilities) {
			if !c.BuiltinMarkdown {
				caps.DocumentSymbolProvider = protocol.Boolean(true)
			}
			caps.WorkspaceSymbolProvider = &protocol.WorkspaceSymbolOptions{ResolveProvider: ptr(true)}
		},
	}
}

func symbolDocument(p *protocol.DocumentSymbolParams) uri.URI { return p.TextDocument.URI }

// documentSymbols lists the frontmatter with its keys, the headings and the facts of an
// entry: as a tree, or one behind the other for a client that knows no tree.
func documentSymbols(_ context.Context, sc *scene, _ *protocol.DocumentSymbolParams) (any, error) {
	m, e, ok := sc.Entry()
	if !ok {
		return nil, nil
	}
	client, outline := &sc.server.Client.Features, structure.Outline(e)
	if client.SymbolTree {
		return protocol.DocumentSymbolSlice(symbolTree(client, m, outline)), nil
	}
	flat := protocol.SymbolInformationSlice{}
	for _, s := range structure.Flat(outline) {
		info := protocol.SymbolInformation{Location: protocol.Location{URI: sc.URI(sc.Path), Range: m.Bounds(s.At)}}
		info.Name, info.Kind = markup.OneLine(s.Name), outlineKind(client, s.Kind)
		if s.In != "" {
			info.ContainerName = ptr(markup.OneLine(s.In))
		}
		flat = append(flat, info)
	}
	return flat, nil
}

func symbolTree(c *client.Features, m *position.Mapper, symbols []structure.Symbol) []protocol.DocumentSymbol {
	out := make([]protocol.DocumentSymbol, 0, len(symbols))
	for _, s := range symbols {
		d := protocol.DocumentSymbol{
			Name: markup.OneLine(s.Name), Kind: outlineKind(c, s.Kind),
			Range: m.Bounds(s.At), SelectionRange: m.Bounds(s.NameAt),
		}
		if s.Detail != "" {
			d.Detail = ptr(markup.OneLine(s.Detail))
		}
		if len(s.Children) > 0 {
			d.Children = symbolTree(c, m, s.Children)
		}
		out = append(out, d)
	}
	return out
}

// outlineKind is how an editor draws a part of an entry; headings as VS Code draws its own.
func outlineKind(c *client.Features, k structure.Kind) protocol.SymbolKind {
	switch k {
	case structure.Frontmatter:
		return protocol.SymbolKindModule
	case structure.Key:
		return symbolKind(c.SymbolKinds, protocol.SymbolKindKey, protocol.SymbolKindProperty)
	case structure.FactItem:
		return protocol.SymbolKindConstant
	}
	return protocol.SymbolKindString
}

// symbolKind is want if the client knows it, else the older one that is most like it. A
// client that lists no kinds knows those up to Array (specification, symbolKind.valueSet).
func symbolKind(known []protocol.SymbolKind, want, older protocol.SymbolKind) protocol.SymbolKind {
	if slices.Contains(known, want) {
		return want
	}
	return older
}

// symbolData leads from a symbol back to what it stands for.
type symbolData struct {
	Kind workspace.NameKind `json:"kind"`
	Name string             `json:"name"`
}

// workspaceSymbols finds domains, topics, entries and facts of all folders by name.
func workspaceSymbols(s *server, p *protocol.WorkspaceSymbolParams) (dispatch.Work, error) {
	var scenes []*scene
	for _, f := range s.Folders.All() {
		scenes = append(scenes, s.sceneOf(f))
	}
	return func(ctx context.Context) (any, error) {
		type found struct {
			workspace.Name
			in *scene
		}
		var all []found
		for _, sc := range scenes {
			if err := sc.Ready(ctx); err != nil {
				if ctx.Err() != nil {
					return nil, err
				}
				s.Client.Log.Warn("no symbols", "folder", sc.Folder.Spelled, "err", err)
				continue
			}
			for _, n := range sc.Workspace.Names(ctx, sc.View, p.Query) {
				all = append(all, found{n, sc})
			}
		}
		slices.SortStableFunc(all, func(a, b found) int {
			switch {
			case a.Score > b.Score:
				return -1
			case a.Score < b.Score:
				return 1
			}
			return 0
		})
		symbols, places := protocol.WorkspaceSymbolSlice{}, map[*scene]*locator{}
		for _, n := range all[:min(len(all), workspace.MaxNames)] {
			if !n.in.Stands(n.Path) {
				continue
			}
			if places[n.in] == nil {
				places[n.in] = n.in.locator()
			}
			symbol, err := n.in.symbol(n.Name, places[n.in])
			if err != nil {
				return nil, err
			}
			symbols = append(symbols, symbol)
		}
		return symbols, nil
	}, nil
}

// symbol renders a name; its range is found when the client asks, where it can.
func (sc *scene) symbol(n workspace.Name, places *locator) (protocol.WorkspaceSymbol, error) {
	var s protocol.WorkspaceSymbol
	client := &sc.server.Client.Features
	s.Name, s.Kind = markup.OneLine(n.Name), nameKind(client, n.Kind)
	if s.Name == "" {
		s.Name = n.Path
	}
	if n.In != "" {
		s.ContainerName = ptr(markup.OneLine(n.In))
	}
	if !client.LazySymbols {
		at := protocol.Range{}
		if t, ok := sc.View.NamePlace(n); ok {
			at = places.location(t).Range
		}
		s.Location = &protocol.Location{URI: places.file(n.Path, "").uri, Range: at}
		return s, nil
	}
	raw, err := json.Marshal(symbolData{n.Kind, n.Name})
	s.Location, s.Data = &protocol.LocationUriOnly{URI: places.file(n.Path, "").uri}, raw
	return s, err
}

func nameKind(c *client.Features, k workspace.NameKind) protocol.SymbolKind {
	switch k {
	case workspace.NameDomain:
		return protocol.SymbolKindNamespace
	case workspace.NameTopic:
		return protocol.SymbolKindPackage
	case workspace.NameFact:
		return symbolKind(c.WorkspaceKinds, protocol.SymbolKindKey, protocol.SymbolKindProperty)
	}
	return protocol.SymbolKindFile
}

// resolveSymbol fills in the range of a symbol, as its file is now.
func resolveSymbol(s *server, symbol *protocol.WorkspaceSymbol) (dispatch.Work, error) {
	var data symbolData
	var at uri.URI
	switch l := symbol.Location.(type) {
	case *protocol.LocationUriOnly:
		at = l.URI
	case *protocol.Location: // a client may add an empty range
		at = l.URI
	}
	if _, whole := symbol.Location.(*protocol.Location); whole && len(symbol.Data) == 0 {
		return dispatch.Answer(symbol), nil // nothing is missing
	}
	if err := wire.ItemData("symbol", symbol.Data, &data); err != nil {
		return nil, err
	}
	sc, err := s.scene(at)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		location := &protocol.Location{URI: at}
		if sc != nil {
			if err := sc.Ready(ctx); err != nil {
				return nil, err
			}
			if t, ok := sc.View.NamePlace(workspace.Name{Kind: data.Kind, Name: data.Name, Path: sc.Path}); ok {
				location.Range = sc.locator().location(t).Range
			}
		}
		symbol.Location = location
		return symbol, nil
	}, nil
}
