package drift

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/relink"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// OfDocuments lists, by document, names in pages of things that are gone or moved since the page was last
// committed: files in backticks, links and commands, and symbols. The code and the history must have been
// read; otherwise nothing is found.
func OfDocuments(ctx context.Context, v *workspace.View) (*documents.Set, map[string][]link.Drift, error) {
	set, err := v.Documents(ctx)
	past := v.Workspace().Past()
	if err != nil || !v.CodeRead() || past == nil {
		return set, nil, err
	}
	pages := set.Pages()
	found, err := driftsOf(ctx, v, link.Pages(pages, v.Code()), pages.Entries(), past)
	if err != nil && ctx.Err() == nil {
		v.Logger().Info("documents were not compared with git history", "reason", err)
		err = nil
	}
	return set, found, err
}

// OfPageSoon is [OfDocuments] for the file at a path as an editor has it. Like [Soon] it does not delay an
// answer: a later result is reported when it is ready.
func OfPageSoon(ctx context.Context, v *workspace.View, p string) []link.Drift {
	text, ok := v.Text(p)
	if !workspace.MayBePage(v, p) || !v.CodeRead() || !ok { // Changed reports the code's completion
		return nil
	}
	v = v.WithCodeOnDisk()
	k, hash := comparisons.Of(v), codebase.HashOf(text)
	k.mu.Lock()
	d := k.byPage[p]
	if !d.holds(state{hash: hash}, v.Code()) {
		d = &comparison{p, state{hash: hash}, v.Code(), &made{Stage: workspace.NewStage()}}
		if k.byPage == nil || len(k.byPage) >= maxDrifts {
			k.byPage = map[string]*comparison{}
		}
		k.byPage[p] = d
		if !v.Workspace().Go(func() { k.surveyPage(v, p, text, d) }) {
			d.End(workspace.ErrClosed)
		}
	}
	k.mu.Unlock()
	short, cancel := v.Within(ctx, workspace.Glance)
	defer cancel()
	found, _ := d.await(short)
	return found
}

// surveyPage compares a document with the code, and reports the result if a caller went on without it.
func (k *cache) surveyPage(v *workspace.View, p, text string, d *comparison) {
	w := v.Workspace()
	if w.Past() == nil && !k.looked.Load() {
		w.ReadHistory(w.Life()) // and so waits for a read under way
	}
	k.mu.Lock()
	late := k.byPage[p] != d // it was edited meanwhile, and is compared again
	k.mu.Unlock()
	if late {
		d.End(context.Canceled)
		return
	}
	var found map[string][]link.Drift
	var err error
	if pages, past := workspace.PagesIn(w.Life(), v), w.Past(); pages != nil && past != nil {
		if e, ok := pages.Set.Pages().Entry(p); ok && e.Text == text {
			found, err = pages.Links.Drifts(w.Life(), []*format.Entry{e}, v.Code(), past)
		}
	}
	k.looked.Store(true)
	if d.found = found; d.End(err) && len(found[p]) > 0 {
		w.Tell(workspace.Change{Drift: true})
	}
}

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
