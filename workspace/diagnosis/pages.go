package diagnosis

import (
	"context"

	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// lostHeadings returns, by page, the links to headings that a document had at the page's last commit, or before it,
// and does not have now. Links that never worked are left out.
func lostHeadings(ctx context.Context, set *documents.Set, past link.Past) (map[string][]format.Problem, error) {
	type lost struct {
		page    string
		heading string
		problem format.Problem
	}
	var all []lost
	var asks []history.Ask
	find := func(p string) *documents.Document { d, _ := set.Document(p); return d }
	for _, page := range set.Pages().Entries() {
		for _, f := range page.Files {
			heading := markdown.Unescaped(documents.Fragment(page.Text, f.At.End).Of(page.Text))
			for _, p := range unknownHeading(find, f.Path, heading, f.At) {
				ask := history.Ask{Path: f.Path, Neighbour: page.Path, LineOnly: true}
				before := ask
				before.Before = true
				all, asks = append(all, lost{page.Path, heading, p}), append(asks, ask, before)
			}
		}
	}
	out := map[string][]format.Problem{}
	versions, err := past.At(ctx, asks)
	was := map[history.Ask]*documents.Document{} // many links may lead to one document
	for i, ask := range asks {
		if was[ask] == nil {
			was[ask] = documents.Parse(ask.Path, versions[i].Text)
		}
	}
	for i, l := range all {
		if was[asks[2*i]].Anchored(l.heading) != nil || was[asks[2*i+1]].Anchored(l.heading) != nil {
			out[l.page] = append(out[l.page], l.problem)
		}
	}
	return out, err
}
