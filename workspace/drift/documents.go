package drift

import (
	"context"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/format"
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
