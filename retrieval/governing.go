package retrieval

import (
	"context"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree"
)

// A hit governs a task if it shares at least twice as much with the task as the sixth hit, and at least
// governsBy more: raw scores are sums of the rarity of shared words, as natural logarithms (docs/ranking.md).
// With fewer hits, the sixth one counts as 0.
const (
	governsBy    = 24.0
	governsTimes = 2.0
	governsRank  = 6
)

// ForTask finds entries for a task that was not a question to the tree. If some govern the task
// ([Governing]), it returns only these. If the tree has little on the task, it returns only hits with at
// least the score sure.
func ForTask(ctx context.Context, search Search, in *tree.Snapshot, q Query, sure float64) ([]Hit, error) {
	r, err := search(ctx, q)
	if err != nil {
		return nil, err
	}
	if out, err := Governing(ctx, search, in, r); len(out) > 0 || err != nil {
		return out, err
	}
	if r.OutOfDomain {
		return slices.DeleteFunc(slices.Clone(r.Hits), func(h Hit) bool { return h.Score < sure }), nil
	}
	return r.Hits, nil
}

// Governing returns the hits that decide a task, such as a bug report. A report usually uses the words of the
// decision behind it. If no decision of the tree is behind it, it shares about as much with many passages. An
// amendment may share more with the decision than with the report, so it is searched with the text of the
// decision.
func Governing(ctx context.Context, search Search, in *tree.Snapshot, r Result) ([]Hit, error) {
	out := r.outstanding()
	if len(out) == 0 {
		return nil, nil
	}
	if e, ok := in.Entry(out[0].Path); ok {
		more, err := search(ctx, Query{Text: e.Body.Of(e.Text), Limit: DefaultLimit})
		if err != nil {
			return nil, err
		}
		for _, h := range more.outstanding() {
			known := slices.ContainsFunc(out, func(o Hit) bool { return o.Path == h.Path })
			if e, ok := in.Entry(h.Path); ok && !known && Amends(e.Body.Of(e.Text)) > 0 {
				h.Score, h.Via = out[0].Score, "what it changes"
				out = append(out, h)
			}
		}
	}
	return out, nil
}

// outstanding returns the hits that share much more with a long text than most others do.
func (r Result) outstanding() (out []Hit) {
	level := 0.0
	if len(r.Hits) >= governsRank {
		level = r.Hits[governsRank-1].Raw
	}
	for _, h := range r.Hits {
		if h.Raw >= level+governsBy && h.Raw >= governsTimes*level {
			h.Governs = true
			out = append(out, h)
		}
	}
	return out
}

// Amends counts the words in a text that announce a change of an earlier statement.
func Amends(text string) (n int) {
	text = strings.ToLower(text)
	for _, word := range []string{"supersed", "amend", "no longer", "instead of"} {
		n += strings.Count(text, word)
	}
	return n
}
