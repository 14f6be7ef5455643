package codebase

import "cmp"

// demotion is the factor for the scores of tests and generated files.
const demotion = .3

// connectivityPrior is so small that it only decides between files that words cannot distinguish. As a signal of
// its own, the number of dependents helps no query (measured as PageRank: −0.4 to +0.1 points).
const connectivityPrior = .001

// The weights for a short task, which names things, and for a long one, which describes them. Between shortWords
// and longWords they are interpolated. Stop words are not counted.
var (
	shortWeights = Signals{Body: 1, Part: .3, Path: .8, Defines: .1, Exact: .3, Mention: .8, Votes: .4, Vote: .4, Recency: .2}
	longWeights  = Signals{Body: 1, Part: .8, Path: .5, Defines: .1, Exact: .3, Mention: .5, Votes: .3, Vote: .1, Recency: .1}

	// fileWeights are added if a file is open. Fitted by bench/codebase/fit on 575 pairs of files that changed
	// together.
	fileWeights = Signals{CoChange: 1, RefersTo: 2, ReferredBy: .3, Imported: .15, Imports: .3, Near: .3, Alike: .2, Similar: 2}
)

const (
	shortWords = 15
	longWords  = 80
)

// hintWeight is added for a hint of weight 1. It is less than the weight of an exact mention of a path, for tasks
// of any length, so that no hint outranks a mention. It was measured on 84 commits with at least three files. One
// file is the hint; the figures are the share of the others among the best 10 (287 cases, mean).
//
//	weight             0     .1    .2    .3    .4    .6    1
//	task               .805  .819  .833  .845  .847  .862  .871
//	task, open file    .850  .859  .868  .873  .873  .880  .882
//	open file          .747  .754  .763  .767  .774  .775  .779
const hintWeight = .4

// besideTask is the weight of the open file's signals if there is a task too.
const besideTask = .2

// weightsFor returns the weights of a query.
func weightsFor(t *task, q Query) Signals {
	var w Signals
	if t.words > 0 {
		w = Interpolate(&shortWeights, &longWeights, t.words)
	}
	if q.File != "" {
		share := 1.0
		if t.words > 0 {
			share = cmp.Or(max(q.Boost, 0), besideTask)
		}
		for i := range w {
			w[i] += share * fileWeights[i]
		}
	}
	if len(q.Hints) > 0 {
		w[Hinted] = hintWeight
	}
	return w
}

// confidence is the share of a complete match's score that the best path, the best names or the best exact
// definition must reach to count in full. Without it, one common word in one path would decide tasks that name no
// path at all.
const confidence = .5

// fullExact is the score of a complete match of exact names: two words of a task
// that only one file defines.
const fullExact = 2

// The constants of BM25, tuned on issues and their fixes (k1 1.2 → 2.0 and b .75 → .5: +0.7 points MRR). A part is
// normalised against a fixed length, so that its score does not depend on how other files are divided into parts.
const (
	k1         = 2.0
	b          = .5
	partLength = 150
)

// Interpolate returns the weights for a task with the given number of words.
func Interpolate(short, long *Signals, words int) Signals {
	var w Signals
	mix := min(1, max(0, float64(words-shortWords)/(longWords-shortWords)))
	for i := range w {
		w[i] = short[i] + mix*(long[i]-short[i])
	}
	return w
}

// Weights returns the weights of the ranking's signals, for measurements.
func Weights() (short, long, file Signals, beside, demoted float64) {
	return shortWeights, longWeights, fileWeights, besideTask, demotion
}

// WeightsFor returns the weights by which [RepoMap.Rank] multiplies the signals of a query. The sum of all
// [Ranked.Signals], each times its weight, is the score before tests and generated files are demoted.
func WeightsFor(q Query) Signals {
	t := parseTask(q.Task)
	return weightsFor(&t, q)
}
