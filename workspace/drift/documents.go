package drift

import (
	"context"

	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// OfDocuments lists, by document, what pages name and that is gone, or elsewhere, since they were last committed: files in
// backticks, links and commands, and symbols. The code and the history have been read; without them nothing is found.
func OfDocuments(ctx context.Context, v *workspace.View) (*documents.Set, map[string][]link.Drift, error) {
	set, err := v.Documents(ctx)
	past := v.Workspace().Past()
	if err != nil || !v.CodeRead() || past == nil {
		return set, nil, err
	}
	pages := set.Pages()
	found, err := link.Pages(pages, v.Code()).Drifts(ctx, pages.Entries(), v.Code(), past)
	if err != nil && ctx.Err() == nil {
		v.Logger().Info("what changed since documents were written is not known", "reason", err)
		err = nil
	}
	return set, found, err
}
