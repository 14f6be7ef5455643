package contextpack

import (
	"cmp"
	"context"
	"slices"

	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/limits"
)

// When sections apply to a task, by what four repositories' documents showed of it (bench/documents): the evidence that
// the documents are about it tells a question from a change of code that they merely name, better than scores do, in
// log odds; below a part of the best score, or of certainty, a section is another subject.
const (
	applyEvidence = 3.5
	applyScore    = 0.05
	applyShare    = 0.2
	maxSections   = 5
)

// addDocuments lets the sections that surely apply to a task stand among the entries of a pack, found like them.
func addDocuments(ctx context.Context, v *workspace.View, in *pack.Inputs, task pack.Task) (missing string, err error) {
	set, err := v.Documents(ctx)
	if err != nil || set.Len() == 0 {
		return limits.Documents, err
	}
	search, err := workspace.SearchDocuments(ctx, v, set)
	if err != nil {
		return limits.Documents, err
	}
	r, err := search(ctx, retrieval.Query{Text: task.Text, Limit: retrieval.DefaultLimit, Now: in.Now})
	if err != nil {
		return limits.Documents, err
	}
	found := map[string]*format.Entry{}
	hits := applying(set, r)
	for _, h := range hits {
		found[h.Path], _ = set.Snapshot().Entry(h.Path)
	}
	addTo(in, found, hits)
	return "", nil
}

// addTo puts sections into the tree of a pack, and hits into what its search finds for the task.
func addTo(in *pack.Inputs, found map[string]*format.Entry, hits []retrieval.Hit) {
	if len(hits) == 0 {
		return
	}
	in.Tree = in.Tree.Update(found)
	entries := in.Search
	in.Search = func(ctx context.Context, text string, limit int) ([]retrieval.Hit, error) {
		all, err := entries(ctx, text, limit)
		all = append(slices.Clone(all), hits...)
		slices.SortStableFunc(all, func(a, b retrieval.Hit) int { return cmp.Compare(b.Score, a.Score) })
		return all, err
	}
}

// applying are the hits that are certain to apply. A changelog says what was done: it holds the words of many tasks,
// and what none of them needs.
func applying(set *documents.Set, r retrieval.Result) (out []retrieval.Hit) {
	if r.OutOfDomain || r.Evidence.Sum < applyEvidence {
		return nil
	}
	for _, h := range r.Hits {
		d, _, ok := set.Section(h.Path)
		if !ok || d.Kind == documents.Changelog || h.Score < max(applyScore, applyShare*r.Hits[0].Score) || len(out) == maxSections {
			continue
		}
		out = append(out, h)
	}
	return out
}

// ruleSure is the score of a rule that applies by its globs: that of a direct answer.
const ruleSure = 0.85

// addRules lets the rules that apply stand in a pack: those for a file that the pack shows, or that is open, and those
// that always do. It reports whether there are any.
func addRules(ctx context.Context, v *workspace.View, in *pack.Inputs, open string, p pack.Pack) bool {
	set, err := v.Documents(ctx)
	if err != nil {
		return false
	}
	shown := []string{open}
	for _, item := range p.Items {
		if item.Kind == pack.KindCode && item.Form != pack.FormOutline {
			shown = append(shown, item.Path)
		}
	}
	found := map[string]*format.Entry{}
	var hits []retrieval.Hit
	for _, d := range set.All() {
		if ctx.Err() != nil {
			return false
		}
		if d.Kind != documents.RuleFile || !d.Rule.Always && !slices.ContainsFunc(shown, d.Rule.Applies) {
			continue
		}
		e := d.RuleEntry()
		found[e.Path] = e
		hits = append(hits, retrieval.Hit{Path: e.Path, Title: e.Title, Score: ruleSure, Passage: e.Body, Via: "its globs"})
	}
	addTo(in, found, hits)
	return len(hits) > 0
}
