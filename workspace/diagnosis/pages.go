package diagnosis

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/relink"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// beside returns the questions for a file at the last commit of a page, and before that commit.
func beside(page *format.Entry, p string) []history.Ask {
	a := history.Ask{Path: p, Neighbour: page.Path, LineOnly: true}
	before := a
	before.Before = true
	return []history.Ask{a, before}
}

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
				all, asks = append(all, lost{page.Path, heading, p}), append(asks, beside(page, f.Path)...)
			}
		}
	}
	out := map[string][]format.Problem{}
	versions, err := past.At(ctx, asks)
	for i, l := range all {
		if slices.ContainsFunc(versions[2*i:2*i+2], func(v history.Version) bool {
			return documents.Parse(asks[2*i].Path, v.Text).Anchored(l.heading) != nil
		}) {
			out[l.page] = append(out[l.page], l.problem)
		}
	}
	return out, err
}

// uprooted adds to found, by page, the links that led somewhere before the page moved, and lead nowhere from its
// new place.
func uprooted(ctx context.Context, v *workspace.View, pages []*format.Entry, past link.Past, found map[string][]link.Drift) error {
	there := isThere(v)
	var some []*format.Entry
	var asks []history.Ask
	for _, page := range pages {
		leaves := strings.Contains(page.Text, strings.Repeat("../", 1+strings.Count(page.Path, "/")))
		if leaves || slices.ContainsFunc(page.Files, func(f format.FileRef) bool { return !there(f.Path) }) {
			some, asks = append(some, page), append(asks, beside(page, page.Path)[1])
		}
	}
	versions, err := past.At(ctx, asks)
	for i, was := range versions {
		if page := some[i]; was.There && was.Then != page.Path && err == nil {
			var links []link.Drift
			links, err = uprootedIn(ctx, page, was.Then, past, there)
			found[page.Path] = append(found[page.Path], links...)
		}
	}
	return err
}

// uprootedIn is [uprooted] for one page and its former path.
func uprootedIn(ctx context.Context, page *format.Entry, former string, past link.Past, there func(string) bool,
) (out []link.Drift, err error) {
	before := documents.Parse(former, page.Text).Linked()
	var asks []history.Ask
	for _, f := range before {
		asks = append(asks, beside(page, f.Path)[1])
	}
	versions, err := past.At(ctx, asks)
	for i, f := range before {
		to := versions[i].Now
		leads := func(now format.FileRef) bool { return now.At == f.At && there(now.Path) }
		if !versions[i].There || to == "" || !there(to) || slices.ContainsFunc(page.Files, leads) {
			continue
		}
		out = append(out, link.Drift{
			Entry: page.Path, Kind: link.Moved, At: f.At, Path: f.Path, To: to, Replace: respelled(page, f, to),
			Reason: fmt.Sprintf("this link led to `%s` until this document moved here from `%s`", f.Path, former),
		})
	}
	return out, err
}

// respelled writes a page's link for another target, without the file's extension if was is written without it.
func respelled(page *format.Entry, was format.FileRef, to string) string {
	said, dir := was.At.Of(page.Text), path.Dir(page.Path)
	if !strings.HasSuffix(said, path.Ext(was.Path)) {
		to = strings.TrimSuffix(to, path.Ext(was.Path))
	}
	here := relink.PageLink{Page: page.Path, Text: page.Text, At: was.At, To: path.Join(dir, markdown.Unescaped(said))}
	if now, ok := here.Leading(to); ok {
		return now
	}
	return relink.RelativeTo(dir, to)
}
