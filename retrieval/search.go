package retrieval

import (
	"context"
	"fmt"
	"slices"

	"github.com/brv-lsp/brv-lsp/tree"
)

// Hit is an entry that a query found.
type Hit struct {
	Path    string
	Title   string
	Score   float64   // 0–1: the estimated probability that this is what was asked for
	Raw     float64   // what the order is by; comparable within one result only
	Passage tree.Span // the best passage in the entry's text
	Matched []string  // the query's words that the entry holds, as written in the query
	Why     Score
}

// Result is what a search found, best first.
type Result struct {
	Hits        []Hit
	OutOfDomain bool     // the tree has nothing on this; the hits share only common words with the query
	Scope       string   // the folder or entry that was searched, "" for the whole tree
	Note        string   // why Scope is not what the query asked for, "" if it is
	Unknown     []string // the query's words that no entry in scope holds
}

// Search ranks the entries for a query. A query without a word finds nothing.
func (x *Index) Search(ctx context.Context, q Query) (Result, error) {
	res, err := x.find(ctx, q)
	return res.Result, err
}

// found is a Result with what is needed to look closer at its best hit.
type found struct {
	Result
	lens *lens
	top  *doc // nil without hits
}

// find searches where the query says, or everywhere if nothing is there.
func (x *Index) find(ctx context.Context, q Query) (found, error) {
	t := x.target(q)
	res, err := x.searchIn(ctx, q, t.scope, t.text)
	if err != nil {
		return found{}, err
	}
	if t.missing != "" {
		res.Note = fmt.Sprintf("the tree has no %s: searched everywhere", t.missing)
	}
	empty := len(res.Hits) == 0 || t.implied && res.OutOfDomain
	if t.scope == "" || !empty {
		return res, nil
	}
	wide, err := x.searchIn(ctx, q, "", q.Text)
	if err != nil || len(wide.Hits) == 0 || wide.OutOfDomain && len(res.Hits) > 0 {
		return res, err
	}
	wide.Note = fmt.Sprintf("nothing found in %s: searched everywhere", t.scope)
	return wide, nil
}

// searchIn ranks the entries of one scope.
func (x *Index) searchIn(ctx context.Context, q Query, scope, text string) (found, error) {
	res := found{Result: Result{Scope: scope}}
	words := parseWords(text)
	if len(words) == 0 {
		return res, nil
	}
	pop := x.whole
	if scope != "" {
		pop = populationOf(x.docs, scope)
	}
	c := x.collector(ctx, pop)
	defer c.release()
	r, err := c.rank(words, max(q.limit(), rerankDepth))
	if err != nil {
		return found{}, err
	}
	res.lens = r.lens()
	all := r.rerank(res.lens, func(e *tree.Entry) tree.Signals { return x.standing(e, q.Now) })
	best := all[:min(q.limit(), len(all))]
	scores, why := r.confidences(all), r.explain(best)
	for i, f := range best {
		res.Hits = append(res.Hits, r.hit(f, scores[i], why[i]))
	}
	if len(best) > 0 {
		res.top = r.docs[best[0].doc]
	}
	res.Unknown = r.unknown()
	res.OutOfDomain = r.outOfDomain(all)
	return res, nil
}

// hit describes a finalist.
func (r *ranking) hit(f finalist, score float64, why Score) Hit {
	e := r.docs[f.doc].entry
	h := Hit{Path: e.Path, Title: e.Title, Score: score, Raw: f.score, Passage: f.passage.at, Why: why}
	for _, t := range h.Why.Terms {
		if !slices.Contains(h.Matched, t.Word) && !t.Extra {
			h.Matched = append(h.Matched, t.Word)
		}
	}
	return h
}

// unknown lists the words that no entry in scope holds in any spelling.
func (r *ranking) unknown() []string {
	var out []string
	for _, cl := range r.clauses {
		if cl.absent() && cl.kind == wordPlain {
			out = append(out, cl.text)
		}
	}
	return out
}
