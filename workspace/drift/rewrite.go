package drift

import (
	"context"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/refactor"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// maxRewritten bounds the documents that are looked at for one rewriting.
const maxRewritten = 256

// MovedLinks are the edits that redirect the links and paths of all documents to a file's new path, after
// they drifted in one of them, and the number of links.
func MovedLinks(ctx context.Context, v *workspace.View, d link.Drift) (files []refactor.File, count int) {
	v = v.WithCodeOnDisk()
	pages, past := workspace.PagesWithin(ctx, v, workspace.Answer), v.Workspace().Past()
	if pages == nil || past == nil || d.Symbol != "" || d.Replace == "" {
		return nil, 0
	}
	var naming []*format.Entry
	for _, e := range pages.Set.Pages().Entries() {
		listed := slices.ContainsFunc(e.Files, func(f format.FileRef) bool { return f.Path == d.Path })
		if len(naming) < maxRewritten && (listed || slices.ContainsFunc(e.Code, func(at markdown.Span) bool {
			return format.WithoutLines(at.Of(e.Text)) == d.Path
		})) {
			naming = append(naming, e)
		}
	}
	found, _ := pages.Links.Drifts(ctx, naming, v.Code(), past)
	for _, e := range naming {
		f := refactor.File{Path: e.Path, Before: e.Text}
		for _, other := range found[e.Path] {
			if other.Symbol == "" && other.Path == d.Path && other.To == d.To && other.Replace != "" {
				f.Edits = append(f.Edits, markdown.Edit{At: other.At, New: other.Replace})
			}
		}
		if count += len(f.Edits); len(f.Edits) > 0 {
			files = append(files, f)
		}
	}
	return files, count
}

// LostLinks are the edits that redirect links to headings of a document that existed at its last commit and
// no longer exist. They then lead to the heading at a place, which is new since then. The links are given by
// their present text.
func LostLinks(ctx context.Context, v *workspace.View, p string, offset int) map[string][]refactor.File {
	v, pages := workspace.PagesOf(ctx, v, p)
	past := v.Workspace().Past()
	if pages == nil || past == nil {
		return nil
	}
	d, _ := pages.Set.Document(p)
	s := d.Section(offset)
	if s == nil || !s.Heading.Contains(offset) {
		return nil
	}
	lost := navigate.LinksTo(pages, d, func(anchor string) bool { return d.Anchored(anchor) == nil })
	if len(lost) == 0 {
		return nil
	}
	versions, err := past.At(ctx, []history.Ask{{Path: p, Neighbour: p, LineOnly: true}})
	if err != nil || len(versions) != 1 || !versions[0].There {
		return nil
	}
	then, now := documents.Parse(p, versions[0].Text), d.AnchorOf(s)
	if then.Anchored(now) != nil {
		return nil
	}
	out := map[string][]refactor.File{}
	for _, t := range lost {
		anchor := t.At.Of(t.Text)
		if then.Anchored(anchor) == nil {
			continue
		}
		files := out[anchor]
		if n := len(files); n == 0 || files[n-1].Path != t.Path {
			files = append(files, refactor.File{Path: t.Path, Before: t.Text})
		}
		last := &files[len(files)-1]
		last.Edits = append(last.Edits, markdown.Edit{At: t.At, New: now})
		out[anchor] = files
	}
	return out
}

// MeantEntry is the entry that a broken relation of another entry clearly meant, "" if no entry stands out.
func MeantEntry(v *workspace.View, from, raw string) string {
	return refactor.Nearest(v.Tree(), from, raw)
}
