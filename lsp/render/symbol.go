package render

import (
	"cmp"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/markup"
	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/structure"
	"github.com/brv-lsp/brv-lsp/workspace/names"
)

// Symbols renders an entry's frontmatter with its keys, its headings and its facts: as a tree, or as a list if the
// client does not support trees.
func Symbols(sc *state.Scene, m *position.Mapper, e *format.Entry) protocol.DocumentSymbolResult {
	features, outline := &sc.Session.Client.Features, structure.Outline(e)
	if features.SymbolTree {
		return protocol.DocumentSymbolSlice(symbolTree(features, m, outline))
	}
	flat := protocol.SymbolInformationSlice{}
	for _, s := range structure.Flat(outline) {
		info := protocol.SymbolInformation{Location: protocol.Location{URI: sc.URI(sc.Path), Range: m.Bounds(s.At)}}
		info.Name, info.Kind = markup.OneLine(s.Name), outlineKind(features, s.Kind)
		if s.In != "" {
			info.ContainerName = new(markup.OneLine(s.In))
		}
		flat = append(flat, info)
	}
	return flat
}

// symbolTree renders symbols with their children.
func symbolTree(c *client.Features, m *position.Mapper, symbols []structure.Symbol) []protocol.DocumentSymbol {
	out := make([]protocol.DocumentSymbol, 0, len(symbols))
	for _, s := range symbols {
		d := protocol.DocumentSymbol{
			Name: markup.OneLine(s.Name), Kind: outlineKind(c, s.Kind),
			Range: m.Bounds(s.At), SelectionRange: m.Bounds(s.NameAt),
		}
		if s.Detail != "" {
			d.Detail = new(markup.OneLine(s.Detail))
		}
		if len(s.Children) > 0 {
			d.Children = symbolTree(c, m, s.Children)
		}
		out = append(out, d)
	}
	return out
}

// outlineKind returns the symbol kind for a part of an entry. Headings get the kind that VS Code uses for them.
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

// symbolKind returns want if the client knows it, or else the most similar older kind. A client that lists no
// kinds knows those up to Array (specification, symbolKind.valueSet).
func symbolKind(known []protocol.SymbolKind, want, older protocol.SymbolKind) protocol.SymbolKind {
	if slices.Contains(known, want) {
		return want
	}
	return older
}

// Symbol renders a name with its place.
func Symbol(sc *state.Scene, n names.Name, places *Locator) (s protocol.WorkspaceSymbol) {
	s.Name, s.Kind = cmp.Or(markup.OneLine(n.Name), n.Path), nameKind(&sc.Session.Client.Features, n.Kind)
	if n.In != "" {
		s.ContainerName = new(markup.OneLine(n.In))
	}
	at := protocol.Range{}
	if t, ok := names.Place(sc.View, n); ok {
		at = places.Location(t).Range
	}
	s.Location = &protocol.Location{URI: places.File(n.Path, "").URI, Range: at}
	return s
}

func nameKind(c *client.Features, k names.Kind) protocol.SymbolKind {
	switch k {
	case names.Domain:
		return protocol.SymbolKindNamespace
	case names.Topic:
		return protocol.SymbolKindPackage
	case names.Fact:
		return symbolKind(c.WorkspaceKinds, protocol.SymbolKindKey, protocol.SymbolKindProperty)
	}
	return protocol.SymbolKindFile
}

// Folds renders the parts of an entry that can be folded. The first line of a fold stays visible.
func Folds(c *client.Features, m *position.Mapper, e *format.Entry) []protocol.FoldingRange {
	folds := []protocol.FoldingRange{}
	for _, f := range structure.Folds(e, c.FoldLimit) {
		at := m.Bounds(f.At)
		fold := protocol.FoldingRange{StartLine: at.Start.Line, EndLine: at.End.Line}
		if !c.FoldLines {
			first, _ := m.Lines(int(at.Start.Line), int(at.Start.Line))
			fold.StartCharacter, fold.EndCharacter = new(first.End.Character), new(at.End.Character)
		}
		if f.Kind == structure.FoldFrontmatter {
			fold.Kind = protocol.FoldingRangeKindRegion
		}
		folds = append(folds, fold)
	}
	return folds
}
