// Package navigate finds the places that belong to a place in a file. It leads from a relation to its entry and
// back, from names in an entry to the code, from a mark in a comment to the tree, and to all places that mention a
// thing.
//
// Each function uses only the view of one request. Places are byte offsets in the text that is returned with them.
package navigate

import (
	"cmp"
	"context"
	"path"
	"slices"

	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// Definition leads from a relation or a mark to its entry, from a file or symbol that an entry or document names
// to the code, and along a document's links. Definitions inside code are the task of the language's own server.
func Definition(ctx context.Context, v *workspace.View, p string, offset int) []Target {
	v = v.ForFile(ctx, p)
	entry, ok := v.EntryPath(p)
	if !ok {
		text, _ := v.Text(p)
		if m, ok := MarkAt(v, p, text, offset); ok {
			return relationTargets(v, "", m.Relation)
		}
		return pageDefinition(ctx, v, p, offset)
	}
	if r, ok := RelationAt(v, entry, offset); ok {
		return relationTargets(v, entry, r)
	}
	return namedCode(v, v.Links(), entry, NamedAt(offset))
}

// pageDefinition leads from names in a document to the code, and along its links to other files and headings.
func pageDefinition(ctx context.Context, v *workspace.View, p string, offset int) []Target {
	v, pages := workspace.PagesOf(ctx, v, p)
	if pages == nil {
		return nil
	}
	page, _ := pages.Set.Document(p)
	use, target, used := markdown.Reference(page.Text, offset)
	if used {
		offset = target
	}
	out := namedCode(v, pages.Links, p, func(c link.CodeRef) bool { return linkAt(page.Text, c).Contains(offset) })
	for i := range out {
		t := &out[i]
		t.Markdown = leadsToMarkdown(page.Text, t.Origin, t.Path)
		if d, ok := pages.Set.Document(t.Path); ok {
			if s := d.Anchored(documents.Fragment(page.Text, t.Origin.End).Of(page.Text)); s != nil {
				t.At, t.Text = s.Heading, d.Text
			}
		}
	}
	e, _ := pages.Set.Pages().Entry(p)
	for _, a := range e.OwnAnchors() {
		if s := page.Anchored(a.At.Of(page.Text)); (a.At.Contains(offset) || a.At.Start-1 == offset) && s != nil {
			out = append(out, Target{Path: p, At: s.Heading, Text: page.Text, Origin: a.At, Markdown: true})
		}
	}
	if label, ok := page.LabelAt(offset); ok {
		if d, s := pages.Set.Labelled(page, label.Of(page.Text)); s != nil {
			out = append(out, Target{Path: d.Path, At: s.Heading, Text: d.Text, Origin: label})
		}
	}
	for i := range out {
		if used {
			out[i].Origin = use
		}
	}
	return out
}

// namedCode returns the code that an entry names, for the links that meant accepts, in order of place.
func namedCode(v *workspace.View, links *link.Links, entry string, meant func(link.CodeRef) bool) (out []Target) {
	seen := map[string]bool{}
	for _, c := range links.Of(entry) {
		if !meant(c) || !c.Exists || c.Folder {
			continue
		}
		if key := c.Path + "\x00" + FullName(c); !seen[key] {
			seen[key] = true
			if t, ok := codeTarget(v, c.Path, FullName(c)); ok {
				t.Origin, t.Markdown = c.Span, c.Form == link.FormLink && path.Ext(c.Path) == ".md"
				out = append(out, t)
			}
		}
	}
	return out
}

// relationTargets returns the entries to which a relation of the entry from leads, or all that match. The nearest
// come first, then the most important.
func relationTargets(v *workspace.View, from string, r tree.Relation) (out []Target) {
	found := slices.Clone(r.Candidates)
	if r.Target != "" {
		found = []string{r.Target}
	}
	now := v.Now()
	slices.SortStableFunc(found, func(a, b string) int {
		near := commonFolders(from, b) - commonFolders(from, a)
		return cmp.Or(near, cmp.Compare(v.Trees().Signals(b, now).Importance, v.Trees().Signals(a, now).Importance))
	})
	for _, c := range found {
		t := EntryTarget(v, c, r.Heading)
		t.Origin = r.At
		out = append(out, t)
	}
	return out
}

// commonFolders returns how many folders two paths share.
func commonFolders(a, b string) (n int) {
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			n++
		}
	}
	return n
}

// DocLink is a link in an entry, a document, or a comment in code.
type DocLink struct {
	At       markdown.Span
	Target   string // workspace path, "" if it leads nowhere
	Tooltip  string
	Markdown bool // a Markdown link in a document, which editors may find by themselves
}

// DocLinks lists the relations and files that an entry names, the marks in a code file, or the links and paths in
// a document.
func DocLinks(ctx context.Context, v *workspace.View, p string) []DocLink {
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
		return out
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
	return slices.CompactFunc(out, func(next, kept DocLink) bool { return next.At.Start < kept.At.End })
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
