package contextpack

import (
	"context"

	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// Governed reports whether a section of a document or the message of a commit surely decides a task.
func Governed(ctx context.Context, v *workspace.View, task string) (bool, error) {
	s, err := searchDocuments(ctx, v, task)
	if err != nil || len(s.governing) > 0 {
		return err == nil, err
	}
	_, hits, err := governingReasons(ctx, v, task)
	return len(hits) > 0, err
}

// governingReasons finds messages of commits that govern a task.
func governingReasons(ctx context.Context, v *workspace.View, task string) (workspace.Reasons, []retrieval.Hit, error) {
	reasons, err := workspace.ReasonsOf(ctx, v)
	if err != nil || reasons.Search == nil {
		return reasons, nil, err
	}
	r, err := reasons.Search(ctx, retrieval.Query{Text: task, Limit: retrieval.DefaultLimit, Now: v.Now()})
	if err != nil {
		return reasons, nil, err
	}
	hits, err := retrieval.Governing(ctx, reasons.Search, reasons.Tree, r)
	return reasons, hits[:min(len(hits), maxSections)], err
}

// addReasons adds the messages of commits that surely apply to a task to the entries of a pack, as further
// hits.
func addReasons(ctx context.Context, v *workspace.View, in *pack.Inputs, task pack.Task) error {
	reasons, hits, err := governingReasons(ctx, v, task.Text)
	found := map[string]*format.Entry{}
	for _, h := range hits {
		found[h.Path], _ = reasons.Tree.Entry(h.Path)
	}
	addTo(in, found, hits)
	return err
}
