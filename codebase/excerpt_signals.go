package codebase

import (
	"math"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// ExcerptSignal is one measure of the chance that a change touches an excerpt.
type ExcerptSignal int

// The signals of an excerpt. Signals of text are BM25 of the task's words.
const (
	One ExcerptSignal = iota // always 1

	FileRank    // log of 1 + the file's rank, from 0
	FileScore   // the file's score
	FileMention // the file's signals of these names; see [Signal]
	FileVote
	FileRecency
	FilePath
	FileSize // log of 1 + its bytes / 1,000
	Symbols  // log of 1 + the number of its symbols

	TextOfAll      // the symbol's text, against the best part of all files
	TextOfFile     // against the best one of the file
	NameMatch      // share of the name's words that the task holds
	NameRare       // how rare these words are
	NameSpelled    // the task spells the name
	ContainerMatch // share of the words of the container's name
	Beside         // the better score of the symbols before and after it
	Size           // log of 1 + the symbol's bytes / 100
	IsMethod
	IsType
	IsValue // a constant or a variable

	IsPiece     // the symbol is in pieces
	IsHead      // the first one
	IsHolder    // the pieces are what a symbol has beside those in it
	PieceNumber // log of the number of pieces
	PieceOfAll  // the piece's text, against the best part of all files

	IsLoose   // it is in no symbol
	HasImport // and imports something

	TextRank // log of 1 + its rank in the file by its own text, from 0

	IsTest // it tests the rest of the file, and the task is not about tests

	excerptSignals
)

// ExcerptSignals are an excerpt's values by [ExcerptSignal].
type ExcerptSignals [excerptSignals]float64

// ofRank sets the signals of a file's place in the ranking.
func (s *ExcerptSignals) ofRank(rank int, score float64) {
	s[FileRank] = math.Log1p(float64(rank))
	s[FileScore] = score
}

// ofFile sets the other signals that are the same for all excerpts of a file.
func (s *ExcerptSignals) ofFile(file *Signals, size, symbols int) {
	s[One] = 1
	s[FileMention], s[FileVote] = file[Mention], file[Vote]
	s[FileRecency], s[FilePath] = file[Recency], file[Path]
	s[FileSize] = math.Log1p(float64(size) / 1000)
	s[Symbols] = math.Log1p(float64(symbols))
}

// ofSymbol sets the signals that are the same for all excerpts of a symbol.
func (s *ExcerptSignals) ofSymbol(r *RankedSymbol, bestPart float64) {
	kind := r.Symbol.Kind
	s[TextOfAll], s[TextOfFile] = r.text*bestPart, r.text
	s[NameMatch], s[NameRare], s[NameSpelled], s[ContainerMatch] = r.name, r.rare, bit(r.spelled), r.container
	s[Size] = math.Log1p(float64(r.Symbol.Range.Len()) / 100)
	s[IsMethod], s[IsType] = bit(kind == syntax.Method), bit(kind.IsType())
	s[IsValue] = bit(kind == syntax.Constant || kind == syntax.Variable)
}

// bit is 1 for true.
func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// besideScores returns, for each ranked symbol, the better score of its two neighbours
// in the file.
func besideScores(ranked []RankedSymbol) []float64 {
	order := make([]int, len(ranked))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return ranked[a].Symbol.NameAt.Start - ranked[b].Symbol.NameAt.Start })
	out := make([]float64, len(ranked))
	for i := range order[1:] {
		a, b := order[i], order[i+1]
		out[a] = max(out[a], ranked[b].Score)
		out[b] = max(out[b], ranked[a].Score)
	}
	return out
}
