package retrieval

import (
	"iter"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// A relation is a statement by people that two entries belong together, and the answer may be in the related
// entry, in other words. So the neighbours of the best hits enter the result, each with the edge that brought
// it.
//
// They never outrank the hits of the words: they come behind keepHits hits, and behind every hit that scores
// more than neighbourWorth of the neighbour's own hit. All numbers are own choices, made so that no result
// without relations changes.
const (
	expandFrom     = 3   // hits whose neighbours are looked at
	maxNeighbours  = 3   // that enter
	keepHits       = 5   // hits that stay where they are
	neighbourWorth = 0.4 // of its hit's raw score: about what one word of three is worth
)

// expand puts neighbours of the best hits into a result of at most limit hits.
func (x *Index) expand(hits []Hit, scope string, limit int) []Hit {
	listed := map[string]bool{}
	for _, h := range hits {
		listed[h.Path] = true
	}
	var in []Hit
	for _, h := range hits[:min(expandFrom, len(hits))] {
		for p, via := range x.neighbours(h.Path) {
			if len(in) == maxNeighbours {
				break
			}
			e, ok := x.snap.Entry(p)
			if !ok || listed[p] || !format.Searchable(e) || scope != "" && !within(p, scope) {
				continue
			}
			listed[p] = true
			in = append(in, Hit{Path: p, Title: e.Title, Raw: neighbourWorth * h.Raw, Score: neighbourWorth * h.Score, Via: via})
		}
	}
	for _, n := range in {
		at := min(keepHits, len(hits))
		for at < len(hits) && (hits[at].Raw >= n.Raw || hits[at].Via != "") {
			at++
		}
		n.Score = min(n.Score, hits[at-1].Score) // a result's scores fall with its order
		hits = slices.Insert(hits, at, n)
	}
	hits = hits[:min(limit, len(hits))]
	for i := range hits {
		if h := &hits[i]; h.Via != "" {
			e, _ := x.snap.Entry(h.Path)
			h.Passage = opening(e)
		}
	}
	return hits
}

// neighbours are the entries that an entry is related to in either direction, in the order of their mention,
// each with the edge. An entry may have thousands.
func (x *Index) neighbours(p string) iter.Seq2[string, string] {
	return func(yield func(neighbour, via string) bool) {
		for _, r := range x.snap.Relations(p) {
			if r.Target != "" && r.Target != p && !yield(r.Target, p+" names it") {
				return
			}
		}
		for _, b := range x.snap.Backlinks(p) {
			if b.From != p && !yield(b.From, "it names "+p) {
				return
			}
		}
	}
}

// opening is the first block of an entry's body that is more than a heading.
func opening(e *format.Entry) markdown.Span {
	for _, b := range blocksOf(e) {
		if !b.opens || strings.Contains(b.at.Of(e.Text), "\n") {
			return b.at
		}
	}
	return markdown.Span{Start: e.Body.Start, End: e.Body.Start}
}
