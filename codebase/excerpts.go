package codebase

import (
	"math"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// Excerpt is a run of whole lines that can be shown by itself: a symbol with the
// comment above it, or a piece of a long one.
type Excerpt struct {
	Symbol  *syntax.Symbol
	Span    syntax.Span // whole lines, in bytes
	Head    bool        // it begins where the symbol does: it shows the signature
	Signals ExcerptSignals
}

// Excerpts cuts the symbols of one file into excerpts that do not overlap, unless
// symbols share lines. Ranked are its symbols by [RepoMap.RankSymbols] for the same
// query; the text must be that which the map was made of. The rank, from 0, and the
// score are the file's for the query.
func (m *RepoMap) Excerpts(ranked []RankedSymbol, q Query, path, text string, rank int, score float64) []Excerpt {
	at, ok := m.index[path]
	if !ok || len(ranked) == 0 {
		return nil
	}
	p := m.planFor(q)
	pieces := pieceScorer{plan: p}
	held, beside := heldBy(ranked), besideScores(ranked)
	var base ExcerptSignals
	base.ofFile(&p.signals[at], rank, score, len(text), len(ranked))
	out := make([]Excerpt, 0, len(ranked)+len(text)/pieceBytes)
	for i := range ranked {
		r := &ranked[i]
		if s := r.Symbol.Range; r.Symbol.Kind == syntax.Module || s.Start < 0 || s.Start >= s.End || s.End > len(text) {
			continue
		}
		signals := base
		signals.ofSymbol(r, i, p.signals[at][Part])
		signals[Beside] = beside[i]
		out = pieces.append(out, r, text, held[r.Symbol], &signals)
	}
	return out
}

// pieceScorer compares the pieces of symbols with a task. Its filter is made when a
// symbol is long enough to have several.
type pieceScorer struct {
	*plan
	filter *termFilter
	counts []int // by term of the task
}

// append adds the excerpts of one symbol.
func (p *pieceScorer) append(out []Excerpt, r *RankedSymbol, text string, held []*syntax.Symbol, signals *ExcerptSignals) []Excerpt {
	s := r.Symbol
	span := wholeSpan(text, s)
	var pieces []syntax.Span
	for _, own := range besides(text, span, held) {
		pieces = append(pieces, piecesOf(text, own)...)
	}
	if len(pieces) == 1 && pieces[0] == span {
		return append(out, Excerpt{s, span, true, *signals})
	}
	var scores []float64
	top := 0.0
	if r.text > 0 || !hasSegment(s) {
		scores, top = p.scores(text, pieces)
	}
	signals[IsPiece], signals[IsHolder] = 1, bit(len(held) > 0)
	signals[PieceNumber] = math.Log(float64(len(pieces)))
	for i, at := range pieces {
		out = append(out, Excerpt{s, at, at.Start == span.Start, *signals})
		e := &out[len(out)-1]
		e.Signals[IsHead] = bit(e.Head)
		if top > 0 {
			e.Signals[PieceText] = scores[i] / top
		}
	}
	return out
}

// hasSegment reports whether a symbol's text is counted by itself: that it holds none of
// the task's words is then known.
func hasSegment(s *syntax.Symbol) bool { return s.Kind != syntax.Constant && s.Kind != syntax.Variable }

// scores scores pieces by the task's words, and returns the best score.
func (p *pieceScorer) scores(text string, pieces []syntax.Span) (scores []float64, top float64) {
	scores = make([]float64, len(pieces))
	if len(p.body.idf) == 0 {
		return scores, 0 // no task
	}
	if p.filter == nil {
		p.filter, p.counts = newTermFilter(p.terms), make([]int, len(p.terms))
	}
	for i, at := range pieces {
		scores[i] = p.score(text[at.Start:at.End])
	}
	return scores, slices.Max(append(scores, 0))
}

// score is the BM25 of one piece.
func (p *pieceScorer) score(piece string) (sum float64) {
	clear(p.counts)
	length := 0
	terms.Scan(piece, func(t term, _ int) {
		length++
		if j, ok := p.filter.find(t); ok {
			p.counts[j]++
		}
	})
	for j, n := range p.counts {
		if n > 0 {
			sum += p.terms[j].weight * bm25(p.body.idf[j], float64(n), float64(length), partLength)
		}
	}
	return sum
}
