package codeaction

import (
	"context"
	"strings"

	"github.com/brv-lsp/brv-lsp/refactor"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// markActions repair comments of a code file that name no entry, or several. If the selected lines have none,
// the code is not searched.
func markActions(ctx context.Context, v *workspace.View, req Request) (out []Action) {
	text, ok := v.Text(req.Path)
	if !ok || !v.HasTree() || !strings.Contains(req.At.Lines(text).Of(text), tree.MarkSign) {
		return nil
	}
	v = v.ForFile(ctx, req.Path)
	p := refactor.Project{Tree: v.Tree(), Now: v.Now(), Text: v.Text, FilePath: v.FilePath}
	for _, m := range navigate.MarksIn(v, req.Path, text) {
		if m.Problem == "" || m.At.End < req.At.Start || req.At.End < m.At.Start {
			continue
		}
		for _, f := range refactor.MarkRepairs(p, req.Path, text, m.Relation) {
			out = append(out, Action{Fix: f, Kind: KindFix})
		}
	}
	return out
}
