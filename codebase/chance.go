package codebase

import "math"

// chanceWeights are the weights of a logistic regression, fitted on 550 commits of
// eleven repositories (Go, JavaScript, Python, Rust, TypeScript): whether the commit
// changed a line of an excerpt of the best 40 files for its message, at its parent.
//
//	go run ./bench/codebase -instances DIR -repos DIR -limit 50 -bodies FILE
//	go run ./bench/codebase/fit -bodies FILE
//
// The weights of lines in no symbol were chosen on 165 of these commits, among five pairs.
//
// The second command also measures weights on repositories that they were not fitted
// on: in 3,000 tokens of excerpts they show 57 % of a commit's functions (mean over
// commits), and 58 % if the repository is among those that they were fitted on.
var chanceWeights = ExcerptSignals{
	One:      -7.35,
	FileRank: -.737, FileScore: 2.26, FileMention: .995, FileVote: .312, FileRecency: .563, FilePath: .621, FileSize: -.842,
	Symbols:   .413,
	TextOfAll: 2.24, TextOfFile: .344, SymbolRank: -.336, NameMatch: -.0967, NameRare: .652, NameSpelled: .711, ContainerMatch: .351,
	Beside: .826, Size: .558, IsMethod: .227, IsType: -.596, IsValue: 1.69,
	IsLoose: -1, HasImport: 1,
	IsPiece: -.609, IsHead: -.417, IsHolder: -1.53, PieceText: 1.54, PieceNumber: -.755,
}

// What a file counts as where nothing is known of its history: the means of these signals over the ten best files of 44
// of those commits. Without history, changed lines shown in 2,000, 4,000 and 8,000 tokens: with zeros 45.3, 52.6, 58.7 %;
// with these 47.1, 54.3,
// 62.6 %; with history 51.2, 56.4, 69.0 % (66 commits; bench/codebase -limit 6 -history=false).
const (
	meanVote    = .50
	meanRecency = .74
)

// ChanceWeights returns what the chance of an excerpt weighs its signals with, for
// measuring.
func ChanceWeights() ExcerptSignals { return chanceWeights }

// Chance is how likely a change for the task touches the excerpt: 0–1.
func (e *Excerpt) Chance() float64 {
	sum := 0.0
	for i, v := range e.Signals {
		sum += chanceWeights[i] * v
	}
	return logistic(sum)
}

// fileChance are the weights of 1, the logarithm of 1 + the rank, and the score, fitted
// by the same commands.
var fileChance = [3]float64{-3.06, -1.26, 3.65}

// FileChance is how likely a change for a task touches the file of a rank, from 0, and
// a score.
func FileChance(rank int, score float64) float64 {
	return logistic(fileChance[0] + fileChance[1]*math.Log1p(float64(rank)) + fileChance[2]*score)
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
