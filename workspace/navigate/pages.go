package navigate

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// linkAt returns the place where a document names something, including the heading in a link.
func linkAt(text string, c link.CodeRef) markdown.Span {
	if at := documents.Fragment(text, c.Span.End); c.Form == link.FormFile && at.End > at.Start {
		return markdown.Span{Start: c.Span.Start, End: at.End}
	}
	return c.Span
}

// LinksTo returns the anchors that lead to headings of a document, in its own links and in those of other
// documents. meant selects the anchors.
func LinksTo(pages *workspace.Pages, d *documents.Document, meant func(anchor string) bool) (out []Target) {
	add := func(from *documents.Document, at markdown.Span) {
		if at.End > at.Start && meant(at.Of(from.Text)) {
			out = append(out, Target{Path: from.Path, At: at, Text: from.Text})
		}
	}
	own, _ := pages.Set.Pages().Entry(d.Path)
	for _, a := range own.OwnAnchors() {
		add(d, a.At)
	}
	for _, r := range pages.Links.About(d.Path, "") {
		from, _ := pages.Set.Document(r.Entry)
		for _, c := range pages.Links.Of(r.Entry) {
			if c.Path == d.Path && c.Form == link.FormFile {
				add(from, documents.Fragment(from.Text, c.Span.End))
			}
		}
	}
	return inOrderOfPlace(out)
}

// namedByPages lists the places where documents name a file, its folder or anything in it, or one of its symbols.
func namedByPages(pages *workspace.Pages, file, symbol string) (out []Target) {
	if pages == nil {
		return nil
	}
	for _, r := range pages.Links.About(file, symbol) {
		d, _ := pages.Set.Document(r.Entry)
		for _, at := range namings(pages.Links, r.Entry, file, symbol) {
			out = append(out, Target{Path: d.Path, At: at, Text: d.Text})
		}
	}
	return inOrderOfPlace(out)
}

// Explanation is a section of a document that names a symbol.
type Explanation struct {
	Path, Called string // the document's path; the section's name, see [documents.Document.Called]
	Line         int    // of its heading, counted from 1

	heading, times int
}

// maxExplaining bounds the documents that are examined for one symbol.
const maxExplaining = 64

// Explaining lists the sections that name a symbol of some files. From each document it takes one section: the one
// whose heading names the symbol, or else the one that names it most often.
func Explaining(pages *workspace.Pages, files []string, symbol string) (out []Explanation) {
	if pages == nil {
		return nil
	}
	for _, file := range files {
		about := pages.Links.About(file, symbol)
		for _, r := range about[:min(len(about), maxExplaining)] {
			d, _ := pages.Set.Document(r.Entry)
			if slices.ContainsFunc(out, func(e Explanation) bool { return e.Path == d.Path }) || d.Path == file {
				continue
			}
			out = append(out, best(d, namings(pages.Links, r.Entry, file, symbol)))
		}
	}
	slices.SortStableFunc(out, func(a, b Explanation) int {
		return cmp.Or(b.heading-a.heading, b.times-a.times, strings.Compare(a.Path, b.Path))
	})
	return out
}

// best returns the section of a document that contains most of some places.
func best(d *documents.Document, places []markdown.Span) Explanation {
	found := map[*documents.Section]*Explanation{}
	top := &Explanation{Path: d.Path, Called: d.Path, Line: 1}
	for _, at := range places {
		s := d.Section(at.Start)
		if s == nil {
			continue
		}
		e := found[s]
		if e == nil {
			line, _ := s.Lines(d.Text)
			e = &Explanation{Path: d.Path, Called: d.Called(s), Line: line}
			found[s] = e
		}
		e.times++
		if s.Heading.Contains(at.Start) {
			e.heading = 1
		}
		if e.heading > top.heading || e.heading == top.heading && e.times > top.times {
			top = e
		}
	}
	return *top
}

// inLink reports whether a place is the target of a Markdown link or of a definition.
func inLink(text string, at markdown.Span) bool {
	line := text[strings.LastIndexByte(text[:at.Start], '\n')+1 : at.Start]
	bare := strings.TrimRight(strings.TrimSuffix(line, "<"), " \t")
	return strings.HasSuffix(bare, "](") || strings.HasSuffix(bare, "]:")
}

// leadsToMarkdown reports whether a place is a Markdown link to a Markdown file.
func leadsToMarkdown(text string, at markdown.Span, to string) bool {
	return path.Ext(to) == ".md" && inLink(text, at)
}
