package retrieval

import (
	"cmp"
	"context"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/panics"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// What a repository's documents say is searched as the tree is, in an index of its own: what is common in one
// of them tells nothing about the other. A hit's score is a probability in both, so that their hits are put in
// one order by it. An entry is what somebody decided: it comes before a section that is no clearer.

// verdict is whether the best hit is a direct answer.
type verdict struct {
	direct bool
	why    string
}

// Both searches entries, and sections of documents, for one answer.
func Both(entries, documents Search) Search {
	return func(ctx context.Context, q Query) (Result, error) {
		var found [2]Result
		var errs [2]error
		var group panics.Group
		for i, search := range []Search{entries, documents} {
			group.Go(func() { found[i], errs[i] = search(ctx, q) })
		}
		group.Wait()
		if err := cmp.Or(errs[0], errs[1]); err != nil {
			return Result{}, err
		}
		return merged(found[0], found[1], q.limit()), nil
	}
}

// merged puts what was found of entries and of sections into one order.
func merged(entries, sections Result, most int) Result {
	switch {
	case len(sections.Hits) == 0 && len(entries.Hits)+len(entries.Unknown) > 0, entries.Scope != "" && sections.Scope == "":
		return entries
	case len(entries.Hits) == 0, sections.Scope != "" && entries.Scope == "", entries.OutOfDomain && !sections.OutOfDomain:
		return sections
	case sections.OutOfDomain && !entries.OutOfDomain:
		return entries
	}
	type ranked struct {
		Hit
		standing float64
		section  bool
	}
	var all []ranked
	direct, _ := isDirect(entries)
	for i, h := range entries.Hits {
		standing := h.Score + clearGap
		if i == 0 && direct {
			standing++
		}
		all = append(all, ranked{h, standing, false})
	}
	for _, h := range sections.Hits {
		all = append(all, ranked{h, h.Score, true})
	}
	slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(b.standing, a.standing) })
	lead, other := entries, sections
	if all[0].section {
		lead, other = sections, entries
	}
	out := lead
	sure, why := isDirect(lead)
	out.verdict = &verdict{sure, why}
	out.Hits = nil
	for _, h := range all[:min(most, len(all))] {
		out.Hits = append(out.Hits, h.Hit)
	}
	out.Unknown = slices.DeleteFunc(slices.Clone(lead.Unknown), func(w string) bool { return !slices.Contains(other.Unknown, w) })
	return out
}

// with is the snapshot that is asked with those sections of documents in it that hits stand for.
func (in Searchable) with(hits []Hit) *tree.Snapshot {
	found := map[string]*format.Entry{}
	if in.Documents != nil {
		for _, h := range hits {
			if e, ok := in.Documents.Entry(h.Path); ok {
				found[h.Path] = e
			}
		}
	}
	if len(found) == 0 {
		return in.Snapshot
	}
	return in.Snapshot.Update(found)
}
