package codebase

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// RankedSymbol is a symbol of a file with its relevance to a task.
type RankedSymbol struct {
	Symbol *syntax.Symbol
	Score  float64 // 0–1; the best symbol of the file has 1
	Reason string
}

// nameWeight is what a symbol's name counts beside its text (measured on issues
// whose fix changed the function).
const nameWeight = 1.5

// RankSymbols orders the symbols of one file by relevance to a task, best
// first. All symbols are returned; those without relevance keep the order of the
// file.
func (m *RepoMap) RankSymbols(text, path string) []RankedSymbol {
	c, ok := m.byPath[path]
	if !ok {
		return nil
	}
	p := m.planFor(text)
	out := make([]RankedSymbol, len(c.Symbols))
	for i := range c.Symbols {
		out[i].Symbol = &c.Symbols[i]
	}
	scores := p.segments(c.terms)
	top := 0.0
	for _, s := range scores[1:] {
		top = max(top, s)
	}
	for i, s := range c.terms.segments[1:] {
		if scores[i+1] > 0 {
			r := &out[s.symbol]
			r.Score = scores[i+1] / top
			r.Reason = "text"
		}
	}
	best := 0.0
	for i := range out {
		r := &out[i]
		if match, words := p.nameMatch(r.Symbol.Name); match > 0 {
			r.Score += nameWeight * match
			r.Reason = fmt.Sprintf("name: %s", words)
		}
		best = max(best, r.Score)
	}
	for i := range out {
		if best > 0 {
			out[i].Score /= best
		}
	}
	slices.SortStableFunc(out, func(a, b RankedSymbol) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

// nameMatch tells how much of a name the task's words cover: 1 if the task
// spells it, else the share of its parts, rare parts counting more.
func (p *plan) nameMatch(name string) (float64, string) {
	if slices.ContainsFunc(p.names, func(n taskName) bool { return n.name == name }) {
		return 1, name
	}
	var parts, covered float64
	words := ""
	scanTerms(name, func(t term, _ int) {
		parts++
		j, ok := slices.BinarySearchFunc(p.terms, t, func(q taskTerm, t term) int { return cmp.Compare(q.term, t) })
		if !ok {
			return
		}
		covered++
		if words == "" {
			words = p.terms[j].word
		}
	})
	if covered == 0 {
		return 0, ""
	}
	return .8 * covered / parts, words
}
