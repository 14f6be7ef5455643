package codebase

import "math"

// chanceWeights are the weights of a logistic regression, fitted on 440 commits of
// eleven repositories (Go, JavaScript, Python, Rust, TypeScript): whether the commit
// changed a line of an excerpt of the best 40 files for its message, at its parent.
//
//	go run ./bench/codebase -instances DIR -repos DIR -limit 40 -bodies FILE
//	go run ./bench/codebase/fit -bodies FILE
//
// These were fitted on half of the excerpts that no commit changed, each counted twice. Measured on the repository left out,
// excerpts of 1,700, 3,000 and 6,500 tokens show 59.1, 68.6 and 79.5 % of the changed lines (mean over commits). Without
// TextRank, PieceOfAll and IsTest, but with the place of a symbol in its file and a piece's text against the best of its
// symbol, it was 56.3, 67.1 and 76.9; the last two gain nothing beside the first three.
var chanceWeights = ExcerptSignals{
	One:      -5.94,
	FileRank: -.887, FileScore: 2.06, FileMention: .69, FileVote: .394, FileRecency: .673, FilePath: .752, FileSize: -.498,
	Symbols:   .18,
	TextOfAll: 1.82, TextOfFile: .286, NameMatch: .332, NameRare: .45, NameSpelled: .61, ContainerMatch: .248,
	Beside: .784, Size: .14, IsMethod: .166, IsType: -.68, IsValue: 1.53,
	IsLoose: .91, HasImport: 1.08,
	IsPiece: .0715, IsHead: -.43, IsHolder: -.399, PieceNumber: -.412, PieceOfAll: 1.12,
	TextRank: -.478, IsTest: -.92,
}

// The values of a file's history signals if its history is unknown: the means over the ten best files of 44
// of those commits. Without history, changed lines shown in 2,000, 4,000 and 8,000 tokens: with zeros 45.3,
// 52.6, 58.7 %; with these 47.1, 54.3, 62.6 %; with history 51.2, 56.4, 69.0 % (66 commits; bench/codebase
// -limit 6 -history=false).
const (
	meanVote    = .50
	meanRecency = .74
)

// ChanceWeights returns the weights of the signals in an excerpt's chance, for measuring.
func ChanceWeights() ExcerptSignals { return chanceWeights }

// Chance is how likely a change for the task touches the excerpt: 0–1.
func (e *Excerpt) Chance() float64 {
	sum := 0.0
	for i, v := range e.Signals {
		sum += chanceWeights[i] * v
	}
	return logistic(sum)
}

// fileChance are the weights of 1, the logarithm of 1 + the rank, and the score, fitted by the same commands.
var fileChance = [3]float64{-3.06, -1.26, 3.65}

// FileChance is the chance that a change for a task touches the file with a rank, from 0, and a score.
func FileChance(rank int, score float64) float64 {
	return logistic(fileChance[0] + fileChance[1]*math.Log1p(float64(rank)) + fileChance[2]*score)
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
