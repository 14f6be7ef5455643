package retrieval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/retrieval/alike"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Hit is an entry that a query found.
type Hit struct {
	Path    string
	Title   string
	Score   float64       // 0–1: the estimated probability that this is what was asked for
	Raw     float64       // what the order is by; comparable within one result only
	Passage markdown.Span // the best passage in the entry's text, in bytes
	Section markdown.Span // what a direct answer shows of it; of a first hit that is clear enough for one
	Matched []string      // the query's words that the entry holds, as written in the query
	Via     string        // how it came in if no word did: "a/b/c.md names it", "it names a/b/c.md"; "" for a match
	Why     Score         // what Raw is made of
	Sure    Surety        // what Score is made of

	Governs bool // the text that was searched for hangs on it: [Governing]
}

// Result lists the hits of a search, best first.
type Result struct {
	Hits        []Hit
	OutOfDomain bool     // the tree has nothing on this; the hits share only common words with the query
	Evidence    Evidence // what OutOfDomain rests on
	Scope       string   // the folder or entry that was searched, "" for the whole tree
	Note        string   // what was not done as asked: another scope searched, a long question cut
	Unknown     []string // the words that the query is about and no entry in scope holds
	Bent        []Bent   // words that were taken for others, since no entry holds them

	verdict *verdict // for a merged result: the verdict of the search with the best hit
}

// verdict is whether the best hit is a direct answer.
type verdict struct {
	direct bool
	why    string
}

// Bent is a word of a query that was taken for a typing error, or for the beginning of
// other words.
type Bent struct {
	Word string
	As   []string // the terms looked for in its place
}

// Remark says which words of the query were not found, or not as written; "" if all were.
func (r Result) Remark() string {
	var parts []string
	if len(r.Unknown) > 0 {
		parts = append(parts, "No entry mentions: "+strings.Join(r.Unknown, ", ")+".")
	}
	for _, b := range r.Bent {
		parts = append(parts, fmt.Sprintf("No entry mentions %q; searched for %s instead.", b.Word, strings.Join(b.As, ", ")))
	}
	return strings.Join(parts, " ")
}

// Search ranks the entries for a query, in its scope, or everywhere if the scope does not exist. A query
// without a word finds nothing.
func (x *Index) Search(ctx context.Context, q Query) (Result, error) {
	t := x.target(q)
	res, err := x.searchIn(ctx, q, t.scope, t.text)
	if err != nil {
		return Result{}, err
	}
	if t.missing != "" {
		res.Note = join(res.Note, fmt.Sprintf("the tree has no %s, so everything was searched", t.missing))
	}
	empty := len(res.Hits) == 0 || t.implied && res.OutOfDomain
	if t.scope == "" || !empty {
		return res, nil
	}
	wide, err := x.searchIn(ctx, q, "", q.Text)
	if err != nil || len(wide.Hits) == 0 || wide.OutOfDomain && len(res.Hits) > 0 {
		return res, err
	}
	wide.Note = join(wide.Note, fmt.Sprintf("nothing was found in %s, so everything was searched", t.scope))
	return wide, nil
}

// searchIn ranks the entries of one scope.
func (x *Index) searchIn(ctx context.Context, q Query, scope, text string) (Result, error) {
	res := Result{Scope: scope}
	pop := x.whole
	if scope != "" {
		pop = populationOf(x.docs, scope)
	}
	c := x.collector(ctx, pop)
	defer c.release()
	text, also, read := alike.InEnglish(text, c.knows)
	res.Note = read
	asked := parse(text)
	if len(asked.words) == 0 {
		return res, nil
	}
	if q.Task {
		asked.words = c.withoutNewNames(asked.words)
	}
	for i, w := range asked.words {
		asked.words[i].also = also[w.term]
	}
	if asked.cut {
		res.Note = join(res.Note, "the question is too long; only its beginning and its end were used")
	}
	q.ByMeaning = q.ByMeaning && !asked.words[0].stop // only names can match
	like, unknowing := x.likeness(ctx, q, &pop)
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	res.Note = join(res.Note, like.note(unknowing))
	r, err := c.rank(asked.words, max(q.limit(), rerankDepth), like)
	if err != nil {
		return Result{}, err
	}
	l := r.lens()
	all := r.nearest(r.rerank(l, func(e *format.Entry) format.Signals { return x.currentSignals(e, q.Now) }))
	subjects := r.subjects()
	res.Unknown, res.Bent, res.Evidence = r.unknown(subjects, text), r.bent(), r.evidence(all, subjects, asked.label)
	res.OutOfDomain, res.Evidence.Sure = !res.Evidence.inDomain(), res.Evidence.Sure && read == ""
	sure, scores := r.sureties(all, res.Evidence)
	best := all[:min(q.limit(), len(all))]
	for i, why := range r.explain(best) {
		h := r.hit(best[i], why)
		h.Score, h.Sure = scores[i], sure[i]
		res.Hits = append(res.Hits, h)
	}
	res.Hits = x.expand(res.Hits, scope, q.limit())
	if sure, _ := isDirect(res); sure {
		res.Hits[0].Section = l.section(r.docs[best[0].doc])
	}
	return res, nil
}

// hit describes a finalist, but for its score.
func (r *ranking) hit(f finalist, why Score) Hit {
	e := r.docs[f.doc].entry
	h := Hit{Path: e.Path, Title: e.Title, Raw: f.score, Passage: f.passage.at, Why: why}
	if !strings.Contains(h.Passage.Of(e.Text), "\n") && strings.HasPrefix(h.Passage.Of(e.Text), "#") {
		h.Passage = opening(e) // a heading alone shows nothing
	}
	if len(h.Why.Terms) == 0 && r.like != nil { // no word led here
		h.Passage = r.like.of[f.doc].at
	}
	for _, t := range h.Why.Terms {
		if !slices.Contains(h.Matched, t.Word) && !t.Extra {
			h.Matched = append(h.Matched, t.Word)
		}
	}
	return h
}

// nearest leaves out what another tree has at the path of an entry of the folder's own, or in the same words as one before it.
func (r *ranking) nearest(all []finalist) []finalist {
	seen := map[string]bool{}
	for _, f := range all {
		if e := r.docs[f.doc].entry; !isFar(e.Path) {
			seen[e.Path], seen[e.Hash] = true, true
		}
	}
	return slices.DeleteFunc(all, func(f finalist) bool {
		e := r.docs[f.doc].entry
		_, inner, far := format.CutTree(e.Path)
		if !far {
			return false
		}
		same := seen[inner] || seen[e.Hash]
		seen[e.Hash] = true
		return same
	})
}

// withoutNewNames leaves out the words of identifiers that no entry has, unless there are no others.
func (c *collector) withoutNewNames(all []word) []word {
	known := slices.DeleteFunc(slices.Clone(all), func(w word) bool {
		return !c.knows(w.text) && slices.ContainsFunc(all, func(o word) bool { return o.kind == words.Name && covers(o.at, w.at) })
	})
	if len(known) == 0 {
		return all
	}
	return known
}

// unknown lists the words that a question is about and that no entry in scope has in any spelling, as
// written. Parts of one name, and pairs of characters of one run, count as one.
func (r *ranking) unknown(subjects []*clause, text string) []string {
	var runs []markdown.Span
	for _, cl := range subjects {
		at, known := cl.at, !cl.absent() || cl.stop
		for i := range r.clauses { // GraphQL, and not QL
			if c := &r.clauses[i]; c.kind != words.Plain && c.at.Start <= at.Start && at.End <= c.at.End {
				if known = known || !c.absent(); !strings.Contains(c.at.Of(text), " ") {
					at = c.at
				}
			}
		}
		if known {
			continue
		}
		if n := len(runs); n > 0 && runs[n-1].Start <= at.Start && at.Start <= runs[n-1].End {
			runs[n-1].End = max(runs[n-1].End, at.End)
			continue
		}
		runs = append(runs, at)
	}
	var out []string
	for _, at := range runs {
		if at.End <= len(text) && !slices.Contains(out, at.Of(text)) {
			out = append(out, at.Of(text))
		}
	}
	return out
}

// bent lists the words that were replaced by other terms.
func (r *ranking) bent() []Bent {
	var out []Bent
	for _, cl := range r.clauses {
		if cl.credit == 1 || cl.absent() {
			continue
		}
		b := Bent{Word: cl.text}
		for _, s := range cl.spelling[:min(maxBent, len(cl.spelling))] {
			b.As = append(b.As, s.term)
		}
		out = append(out, b)
	}
	return out
}

// maxBent is the number of terms named that stand in for a word.
const maxBent = 3
