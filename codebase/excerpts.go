package codebase

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// Excerpt is a run of whole lines that can be shown alone: a symbol with the comment above it, a piece of a
// long one, or lines outside of symbols. Runs that are too short to be read alone are joined with adjacent
// ones.
type Excerpt struct {
	Symbol  *syntax.Symbol // the likeliest one of it; nil if it is in none
	Span    syntax.Span    // whole lines, in bytes
	Head    bool           // it begins where the symbol does: it shows the signature
	Signals ExcerptSignals
}

// Excerpts cuts the symbols of one file into excerpts that do not overlap, unless symbols share lines. Ranked
// are its symbols by [RepoMap.RankSymbols] for the same query; the text must be the one that the map was made
// of. The rank, from 0, and the score are the file's for the query. Results that do not depend on the cursor
// are kept for the next call: the caller must not change ranked, nor the result.
func (m *RepoMap) Excerpts(ranked []RankedSymbol, q Query, path, text string, rank int, score float64) []Excerpt {
	at, ok := m.index[path]
	if !ok || len(ranked) == 0 {
		return nil
	}
	t, _ := m.taskPlanFor(context.Background(), q.Task) // which never ends
	out := t.shown.cut(path, ranked, text, func() []Excerpt { return t.excerpts(m, at, ranked, text) })
	if rank == 0 && score == 0 {
		return out // as they are kept
	}
	out = slices.Clone(out)
	for i := range out {
		out[i].Signals.ofRank(rank, score)
	}
	return out
}

// excerpts cuts one file, whose rank is left open.
func (p *taskPlan) excerpts(m *RepoMap, at int, ranked []RankedSymbol, text string) []Excerpt {
	pieces := pieceScorer{taskPlan: p, top: slices.Max(append(p.parts(m, at), 1e-9)), part: p.signals[at][Part]}
	held, beside := heldBy(ranked), besideScores(ranked)
	var base ExcerptSignals
	base.ofFile(&p.signals[at], len(text), len(ranked))
	if m.history == nil {
		base[FileVote], base[FileRecency] = meanVote, meanRecency
	}
	room, _ := spareExcerpts.Get().(*[]Excerpt)
	if room == nil {
		room = new([]Excerpt)
	}
	out := (*room)[:0]
	for i := range ranked {
		r := &ranked[i]
		if s := r.Symbol.Range; r.Symbol.Kind == syntax.Module || s.Start < 0 || s.Start >= s.End || s.End > len(text) {
			continue
		}
		signals := base
		signals.ofSymbol(r, p.signals[at][Part])
		signals[Beside] = beside[i]
		out = pieces.append(out, r, text, held[r.Symbol], &signals)
	}
	base[TextOfAll] = p.signals[at][Part]
	out = pieces.appendLoose(out, m, at, ranked, text, &base)
	if !p.tests {
		for _, test := range testSpans(text) {
			for i := range out {
				if at := out[i].Span.Start; test.Start <= at && at < test.End {
					out[i].Signals[IsTest] = 1
				}
			}
		}
	}
	rankTexts(out)
	kept := joinShort(out, text)
	clear(out) // it keeps no symbols
	*room = out
	spareExcerpts.Put(room)
	return kept
}

// rankTexts gives each excerpt its rank in the file by its own text's match with the task.
func rankTexts(all []Excerpt) {
	text := func(e *Excerpt) float64 {
		if e.Signals[IsPiece] > 0 && e.Signals[IsLoose] == 0 {
			return e.Signals[PieceOfAll]
		}
		return e.Signals[TextOfAll]
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(text(&all[b]), text(&all[a])) })
	for rank, i := range order {
		all[i].Signals[TextRank] = math.Log1p(float64(rank))
	}
}

// spareExcerpts is room for a file's excerpts before their number is known (*[]Excerpt).
var spareExcerpts sync.Pool

// pieceScorer compares the pieces of symbols with a task.
type pieceScorer struct {
	*taskPlan
	counts []int         // by term of the task
	top    float64       // the best score of a part of the file
	part   float64       // and what that is against the best of all files
	pieces []syntax.Span // of one symbol
}

// append adds the excerpts of one symbol.
func (p *pieceScorer) append(out []Excerpt, r *RankedSymbol, text string, held []*syntax.Symbol, signals *ExcerptSignals) []Excerpt {
	s := r.Symbol
	span := wholeSpan(text, s)
	pieces := p.pieces[:0]
	if len(held) == 0 {
		pieces = appendPieces(pieces, text, span)
	}
	for _, own := range besides(text, span, held) {
		pieces = appendPieces(pieces, text, own)
	}
	p.pieces = pieces
	if len(pieces) == 1 && pieces[0] == span {
		return append(out, Excerpt{s, span, true, *signals})
	}
	var scores []float64
	if r.text > 0 || !hasSegment(s) {
		scores = p.scores(text, pieces)
	}
	signals[IsPiece], signals[IsHolder] = 1, bit(len(held) > 0)
	signals[PieceNumber] = math.Log(float64(len(pieces)))
	for i, at := range pieces {
		out = append(out, Excerpt{s, at, at.Start == span.Start, *signals})
		e := &out[len(out)-1]
		e.Signals[IsHead] = bit(e.Head)
		if scores != nil {
			e.Signals[PieceOfAll] = min(1, scores[i]/p.top) * p.part
		}
	}
	return out
}

// appendLoose adds the lines that are in no symbol: imports, and statements of a script.
func (p *pieceScorer) appendLoose(out []Excerpt, m *RepoMap, at int, ranked []RankedSymbol, text string, base *ExcerptSignals) []Excerpt {
	gaps := outside(text, ranked)
	if len(gaps) == 0 {
		return out
	}
	imports := m.chunks[at].Imports()
	for _, gap := range gaps {
		p.pieces = appendPieces(p.pieces[:0], text, gap)
		pieces := p.pieces
		scores := p.scores(text, pieces)
		for i, piece := range pieces {
			e := Excerpt{Span: piece, Signals: *base}
			e.Signals[TextOfFile] = min(1, scores[i]/p.top)
			e.Signals[TextOfAll] *= e.Signals[TextOfFile]
			e.Signals[Size] = math.Log1p(float64(gap.Len()) / 100)
			e.Signals[IsLoose] = 1
			e.Signals[HasImport] = bit(slices.ContainsFunc(imports, func(i Import) bool { return piece.Contains(i.At) }))
			if len(pieces) > 1 {
				e.Signals[IsPiece], e.Signals[PieceNumber] = 1, math.Log(float64(len(pieces)))
			}
			out = append(out, e)
		}
	}
	return out
}

// hasSegment reports whether a symbol's text is counted separately, so that it is known to have none of the
// task's words.
func hasSegment(s *syntax.Symbol) bool { return s.Kind != syntax.Constant && s.Kind != syntax.Variable }

// scores scores pieces by the task's words.
func (p *pieceScorer) scores(text string, pieces []syntax.Span) []float64 {
	scores := make([]float64, len(pieces))
	if len(p.body.idf) == 0 {
		return scores // no task
	}
	if p.counts == nil {
		p.counts = make([]int, len(p.terms))
	}
	for i, at := range pieces {
		scores[i] = p.score(text[at.Start:at.End])
	}
	return scores
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
