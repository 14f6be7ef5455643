package treetest

import (
	"fmt"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// ApplyEdits applies edits as an editor does; it refuses those that overlap.
func ApplyEdits(text string, edits []markdown.Edit) (string, error) {
	sorted := slices.SortedFunc(slices.Values(edits), func(a, b markdown.Edit) int { return b.At.Start - a.At.Start })
	end := len(text)
	for _, edit := range sorted {
		if edit.At.Start < 0 || edit.At.End < edit.At.Start || edit.At.End > end {
			return "", fmt.Errorf("edits overlap or lie outside: %v", edits)
		}
		text = text[:edit.At.Start] + edit.New + text[edit.At.End:]
		end = edit.At.Start
	}
	return text, nil
}
