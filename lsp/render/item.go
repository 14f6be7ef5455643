package render

import (
	"encoding/json"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/lsp/markup"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// HierarchyItem renders an item; that of calls has the same fields.
func HierarchyItem(at *Locator, item navigate.Item) protocol.TypeHierarchyItem {
	f := at.File(item.Place.Path, item.Place.Text)
	raw, err := json.Marshal(item.Ref)
	if err != nil {
		raw = nil // strings always marshal
	}
	return protocol.TypeHierarchyItem{
		Name: markup.OneLine(item.Name), Detail: new(markup.OneLine(item.Detail)), Kind: itemKind(item), URI: f.URI,
		Range: f.mapper.Bounds(item.Extent), SelectionRange: f.mapper.Bounds(item.Place.At), Data: raw,
	}
}

func itemKind(item navigate.Item) protocol.SymbolKind {
	switch item.Kind {
	case navigate.ItemDomain:
		return protocol.SymbolKindNamespace
	case navigate.ItemTopic:
		return protocol.SymbolKindPackage
	case navigate.ItemSymbol:
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
