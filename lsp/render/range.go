package render

import (
	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/structure"
)

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
