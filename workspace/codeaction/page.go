package codeaction

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/refactor"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// pageActions repair names in a document, or in all documents, of things that moved, and links to the former
// title of the heading at the place. None is applied unasked: other tools may own the documents.
func pageActions(ctx context.Context, v *workspace.View, req Request) (out []Action) {
	text, _ := v.Text(req.Path)
	add := func(repairs, id, title string, at markdown.Span, files ...refactor.File) {
		f := refactor.Fix{ID: id, Title: title, Repairs: repairs, At: at}
		f.Plan = func() (refactor.Change, error) { return refactor.Change{Title: title, Files: files}, nil }
		kind := KindRewrite
		if repairs != "" {
			kind = KindFix
		}
		out = append(out, Action{Fix: f, Kind: kind})
	}
	if !req.Wants(KindFix) && !req.Wants(KindRewrite) {
		return nil
	}
	for _, d := range drift.OfPageSoon(ctx, v, req.Path) {
		if d.Replace == "" || d.At.End > len(text) || d.Replace == d.At.Of(text) ||
			req.At.End < d.At.Start || d.At.End < req.At.Start {
			continue
		}
		add(format.CodeStale, fmt.Sprintf("update@%d", d.At.Start), "Update to "+d.Replace, d.At,
			refactor.File{Path: req.Path, Before: text, Edits: []markdown.Edit{{At: d.At, New: d.Replace}}})
		if files, count := drift.MovedLinks(ctx, v, d); count > 1 {
			add(format.CodeStale, "links@"+d.Path, fmt.Sprintf("Rewrite %d links to %s", count, d.Path), d.At, files...)
		}
	}
	if a, ok := promotion(v, req, text); ok {
		out = append(out, a)
	}
	lost := drift.LostLinks(ctx, v, req.Path, req.At.Start)
	for _, anchor := range slices.Sorted(maps.Keys(lost)) {
		count := 0
		for _, f := range lost[anchor] {
			count += len(f.Edits)
		}
		links := fmt.Sprintf("%d links", count)
		if count == 1 {
			links = "1 link"
		}
		add("", "heading@"+anchor, fmt.Sprintf("Rewrite %s to #%s", links, anchor), req.At, lost[anchor]...)
	}
	return out
}

// promotion makes an entry of the section whose heading the place is in.
func promotion(v *workspace.View, req Request, text string) (a Action, ok bool) {
	if !v.HasTree() || !req.Wants(KindRewrite) || !workspace.MayBePage(v, req.Path) {
		return a, false
	}
	anchor, ok := workspace.HeadingAt(req.Path, text, req.At.Start)
	if !ok {
		return a, false
	}
	a = Action{Fix: refactor.Fix{ID: "promote@" + anchor, Title: "Promote this section to an entry"}, Kind: KindRewrite,
		Command: "brv.promote", Request: map[string]any{"path": req.Path, "heading": anchor}}
	if e, ok := v.PromotedFrom(req.Path + "#" + anchor); ok {
		a.Disabled = "an entry was already made from it: " + e.Path
	}
	return a, true
}

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
