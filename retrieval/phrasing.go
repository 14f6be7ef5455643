package retrieval

import (
	"cmp"
	"context"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/panics"
)

// MaxPhrasings bounds the further phrasings of a question ([Query.Also]).
const MaxPhrasings = 4

// Phrased searches for a question in all its phrasings.
func Phrased(search Search) Search {
	return func(ctx context.Context, q Query) (Result, error) {
		if len(q.Also) == 0 {
			return search(ctx, q)
		}
		texts := append([]string{q.Text}, q.Also[:min(len(q.Also), MaxPhrasings)]...)
		found, errs := make([]Result, len(texts)), make([]error, len(texts))
		var group panics.Group
		for i, text := range texts {
			group.Go(func() {
				one := q
				one.Text, one.Also, one.Limit = text, nil, MaxLimit
				found[i], errs[i] = search(ctx, one)
			})
		}
		group.Wait()
		if err := cmp.Or(errs...); err != nil {
			return Result{}, err
		}
		return fused(found, q.limit()), nil
	}
}

// fused puts what several phrasings of a question found into one order: by the mean of a hit's scores, so that what several
// of them find comes first. Whether the tree knows the answer is what the median phrasing says: one of them alone may share
// its words with a text about something else.
func fused(found []Result, most int) Result {
	median := slices.SortedStableFunc(slices.Values(found), func(a, b Result) int {
		return cmp.Or(cmp.Compare(a.knows(), b.knows()), cmp.Compare(a.Evidence.Sum, b.Evidence.Sum))
	})[len(found)/2]
	type ranked struct {
		Hit
		best float64
	}
	var all []ranked
	at := map[string]int{}
	for _, r := range found {
		for _, h := range r.Hits {
			i, seen := at[h.Path]
			if !seen {
				i, at[h.Path] = len(all), len(all)
				all = append(all, ranked{})
			}
			mean := all[i].Score + h.Score/float64(len(found))
			if !seen || h.Score > all[i].best {
				all[i] = ranked{h, h.Score}
			}
			all[i].Score = mean
		}
	}
	slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(b.Score, a.Score) })
	out := median
	sure, why := isDirect(median)
	out.Hits = nil
	for _, h := range all[:min(most, len(all))] {
		out.Hits = append(out.Hits, h.Hit)
	}
	if sure {
		if first := median.Hits[0]; out.Hits[0].Path == first.Path {
			out.Hits[0].Section = first.Section
		} else {
			sure, why = false, "the phrasings of the question lead to different passages"
		}
	}
	out.verdict = &verdict{sure, why}
	return out
}

// knows tells whether what was searched holds the answer: 0 no, 1 perhaps, 2 surely.
func (r Result) knows() int {
	switch {
	case r.OutOfDomain:
		return 0
	case r.Evidence.Sure:
		return 2
	}
	return 1
}
