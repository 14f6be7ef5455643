package drift

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
)

// Uprooted adds to found, by page, the links that led somewhere before the page moved, and lead nowhere from its
// new place.
func Uprooted(ctx context.Context, pages []*format.Entry, past link.Past, there func(p string) bool, found map[string][]link.Drift) error {
	var some []*format.Entry
	var asks []history.Ask
	for _, page := range pages {
		leaves := strings.Contains(page.Text, strings.Repeat("../", 1+strings.Count(page.Path, "/")))
		if leaves || slices.ContainsFunc(page.Files, func(f format.FileRef) bool { return !there(f.Path) }) {
			some, asks = append(some, page), append(asks, beforeMove(page, page.Path))
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

// beforeMove returns the question for a file before the last commit of a page.
func beforeMove(page *format.Entry, p string) history.Ask {
	return history.Ask{Path: p, Neighbour: page.Path, LineOnly: true, Before: true}
}

// uprootedIn is [Uprooted] for one page and its former path.
func uprootedIn(ctx context.Context, page *format.Entry, former string, past link.Past, there func(string) bool,
) (out []link.Drift, err error) {
	before := documents.Parse(former, page.Text).Linked()
	var asks []history.Ask
	for _, f := range before {
		asks = append(asks, beforeMove(page, f.Path))
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
