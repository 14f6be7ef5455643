package retrieval

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree"
)

// A relation is a statement by people that two entries belong together, and what was
// asked for may stand in the neighbour, in other words. So the neighbours of the best
// hits enter the result, each with the edge that brought it.
//
// They never outrank what the words found first: they come behind keepHits hits, and
// behind every hit that scores more than a neighbour of its hit is worth. All numbers
// are own choices, made so that no result without relations changes.
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
		for _, n := range x.neighbours(h.Path) {
			e, ok := x.snap.Entry(n.Path)
			if !ok || listed[n.Path] || !e.Role.Searchable() || scope != "" && !within(n.Path, scope) || len(in) == maxNeighbours {
				continue
			}
			listed[n.Path] = true
			n.Title, n.Raw, n.Score = e.Title, neighbourWorth*h.Raw, neighbourWorth*h.Score
			n.Passage = opening(e)
			in = append(in, n)
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
	return hits[:min(limit, len(hits))]
}

// neighbours are the entries that an entry is related to, and those related to it,
// in the order of their mention.
func (x *Index) neighbours(p string) []Hit {
	var out []Hit
	for _, r := range x.snap.Relations(p) {
		if r.Target != "" && r.Target != p {
			out = append(out, Hit{Path: r.Target, Via: fmt.Sprintf("%s names it", p)})
		}
	}
	for _, b := range x.snap.Backlinks(p) {
		if b.From != p {
			out = append(out, Hit{Path: b.From, Via: fmt.Sprintf("it names %s", p)})
		}
	}
	return out
}

// opening is the first block of an entry's body that is more than a heading.
func opening(e *tree.Entry) tree.Span {
	for _, b := range blocksOf(e) {
		if !b.opens || strings.Contains(b.at.Of(e.Text), "\n") {
			return b.at
		}
	}
	return tree.Span{Start: e.Body.Start, End: e.Body.Start}
}
