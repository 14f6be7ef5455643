package codebase

import (
	"cmp"
	"context"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// RankedSymbol is a symbol of a file with its relevance to a task.
type RankedSymbol struct {
	Symbol *syntax.Symbol
	Score  float64 // 0–1; the best symbol of the file has 1

	text, name, rare, container float64 // the parts of the score and of chances; 0–1
	spelled                     bool    // the task spells the name
}

// nameWeight is the weight of a symbol's name, compared with 1 for its text (measured on issues whose fix changed
// the function).
const nameWeight = 1.5

// RankSymbols orders the symbols of one file by relevance to a query, best first. It returns all symbols; those
// without relevance keep the order of the file. For a file without symbols it returns its blocks of lines (see
// [Block]). Only the query's task counts. The caller must not change the result, which is kept for the next call.
func (m *RepoMap) RankSymbols(q Query, path string) []RankedSymbol {
	at, ok := m.index[path]
	if !ok {
		return nil
	}
	t, _ := m.taskPlanFor(context.Background(), q.Task) // the context never ends
	return t.shown.symbols(path, func() []RankedSymbol { return t.rankSymbols(m, at) })
}

// rankSymbols orders the symbols of one file. It returns nil if the text is not available.
func (p *taskPlan) rankSymbols(m *RepoMap, at int) []RankedSymbol {
	c := m.chunks[at]
	symbols := m.symbolsOrBlocks(c)
	if len(symbols) == 0 {
		return nil
	}
	out := make([]RankedSymbol, len(symbols))
	for i := range symbols {
		out[i].Symbol = &symbols[i]
	}
	p.textOfSymbols(m, at, out)
	best, container, match := 0.0, "", 0.0
	for i := range out {
		r := &out[i]
		r.Score = r.text
		if r.Symbol.Kind != Block {
			p.nameOfSymbol(r)
			if r.Symbol.Container != container { // consecutive symbols usually have the same one
				container = r.Symbol.Container
				match, _ = p.matchName(container)
			}
			r.container = match
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

// textOfSymbols scores the text of each symbol. The best one of the file gets 1.
func (p *taskPlan) textOfSymbols(m *RepoMap, at int, out []RankedSymbol) {
	scores := p.parts(m, at)
	top := 0.0
	for _, s := range scores[1:] {
		top = max(top, s)
	}
	for i, s := range m.chunks[at].rec.vector.segments[1:] {
		if scores[i+1] > 0 && s.symbol >= 0 && int(s.symbol) < len(out) {
			out[s.symbol].text = scores[i+1] / top
		}
	}
}

// nameOfSymbol adds the score of a symbol's name.
func (p *taskPlan) nameOfSymbol(r *RankedSymbol) {
	r.name, r.rare = p.matchName(r.Symbol.Name)
	r.spelled = r.name == 1
	r.Score += nameWeight * r.name
}

// symbolsOrBlocks returns a file's symbols, or the blocks of its text if it has none.
func (m *RepoMap) symbolsOrBlocks(c *Chunk) []syntax.Symbol {
	if c.rec.count > 0 {
		return c.Symbols()
	}
	text, err := m.Read(c.Path)
	if err != nil || HashOf(text) != c.Hash {
		return nil
	}
	return blockSymbols(text)
}

// matchName compares a name with the task. share is the part of the name that the task's words cover: 1 if the
// task spells the name, else the share of its words. rare, from 0 to 1, is the part of the task that the name
// covers; words that few files define count more.
func (p *taskPlan) matchName(name string) (share, rare float64) {
	var parts, covered float64
	terms.Scan(name, func(t term, _ int) {
		parts++
		j, ok := p.find(t)
		if !ok {
			return
		}
		covered++
		if p.words > 0 {
			rare += p.terms[j].weight * p.defs.idf[j]
		}
	})
	rare /= rare + rareHalf
	if slices.ContainsFunc(p.names, func(n taskName) bool { return n.name == name }) {
		return 1, rare
	}
	if covered == 0 {
		return 0, 0
	}
	return .8 * covered / parts, rare
}

// find returns the index of a term in the task.
func (t *task) find(x term) (int, bool) {
	return slices.BinarySearchFunc(t.terms, x, func(q taskTerm, x term) int { return cmp.Compare(q.term, x) })
}

// rareHalf is the weighted rarity at which a name's words count half: one word of a title that a tenth of the
// files define.
const rareHalf = 6
