package navigate

import (
	"context"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// DocLink is a link in an entry, a document, or a comment in code.
type DocLink struct {
	At       markdown.Span
	Target   string // workspace path, "" if it leads nowhere
	Tooltip  string
	Markdown bool // a Markdown link in a document, which editors may find by themselves
}

// DocLinks lists the relations and files that an entry names, the marks in a code file, or the links and paths in
// a document.
func DocLinks(ctx context.Context, v *workspace.View, p string) ([]DocLink, error) {
	var out []DocLink
	v = v.ForFile(ctx, p)
	entry, ok := v.EntryPath(p)
	if !ok {
		text, _ := v.Text(p)
		for _, m := range MarksIn(v, p, text) {
			out = append(out, relationLink(v, m.Relation, m.Problem))
		}
		if _, pages := workspace.PagesOf(ctx, v, p); pages != nil {
			out = append(out, pageLinks(pages, p)...)
		}
		return out, nil
	}
	for _, r := range v.Trees().Relations(entry) {
		out = append(out, relationLink(v, r, workspace.Unmet(v, r)))
	}
	for _, c := range v.Links().Of(entry) {
		if c.Exists && !c.Folder && c.Symbol == "" && c.Form != link.FormComment {
			out = append(out, DocLink{At: c.Span, Target: c.Path, Tooltip: c.Path, Markdown: c.Form == link.FormLink})
		}
	}
	slices.SortStableFunc(out, func(a, b DocLink) int { return a.At.Start - b.At.Start })
	return slices.CompactFunc(out, func(next, kept DocLink) bool { return next.At.Start < kept.At.End }), nil
}

// relationLink returns the link for a relation.
func relationLink(v *workspace.View, r tree.Relation, problem string) DocLink {
	l := DocLink{At: r.At, Tooltip: problem}
	if target, ok := v.Entry(r.Target); ok {
		l.Target, l.Tooltip = v.FilePath(r.Target), linkTooltip(v, target)
	}
	return l
}

func linkTooltip(v *workspace.View, e *format.Entry) string {
	if s, _ := v.Trees().Counted(e.Path); s.Maturity != "" {
		return e.Title + " · " + format.TierName(e, s.Maturity)
	}
	return e.Title
}

// pageLinks returns the links in a document: paths in backticks and commands, and its Markdown links.
func pageLinks(pages *workspace.Pages, p string) (out []DocLink) {
	d, _ := pages.Set.Document(p)
	for _, c := range pages.Links.Of(p) {
		if c.Exists && !c.Folder && c.Symbol == "" {
			out = append(out, DocLink{At: c.Span, Target: c.Path, Tooltip: c.Path, Markdown: inLink(d.Text, c.Span)})
		}
	}
	return out
}
