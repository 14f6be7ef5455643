package describe

import (
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// maxPages bounds the sections of documents that a hover names.
const maxPages = 3

// aboutPage describes the code in backticks at a place of a document, and the entries and other documents
// about it. Editors show the targets of Markdown links themselves.
func aboutPage(v *workspace.View, pages *workspace.Pages, req Request) *Info {
	d, _ := pages.Set.Document(req.Path)
	for _, c := range pages.Links.Of(req.Path) {
		if !navigate.NamedAt(req.Offset)(c) || !c.Exists || c.Form == link.FormFile {
			continue
		}
		a := aboutRef(v, c, d.Text)
		for _, e := range v.Links().About(c.Path, c.Symbol) {
			a.Entries = append(a.Entries, short(v, e.Entry, e.Reason))
		}
		a.Entries = a.Entries[:min(len(a.Entries), maxLinked)]
		a.Pages = explaining(pages, []string{c.Path}, c.Symbol, req.Path)
		return a
	}
	return nil
}

// explaining are the first sections that name a symbol, but for those of the document at hand.
func explaining(pages *workspace.Pages, files []string, symbol, here string) (out []navigate.Explanation) {
	if symbol == "" {
		return nil
	}
	for _, e := range navigate.Explaining(pages, files, symbol) {
		if e.Path != here && len(out) < maxPages {
			out = append(out, e)
		}
	}
	return out
}

// aboutRef describes the code that a text names.
func aboutRef(v *workspace.View, c link.CodeRef, text string) *Info {
	a := &Info{At: c.Span, Kind: KindFile, Name: c.Span.Of(text), Code: &Symbol{Path: c.Path, Missing: !c.Exists}}
	if c.Symbol != "" {
		a.Kind = KindCode
		if d, ok := navigate.DefinitionIn(v, c.Path, navigate.FullName(c)); ok {
			a.Code.Line, a.Code.Signature = d.Line, d.Signature
		}
	}
	return a
}
