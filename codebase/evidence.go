package codebase

import (
	"context"
	"math"

	"github.com/brv-lsp/brv-lsp/internal/words"
)

// Evidence measures whether a task is about this code, or about something else in words that any project has.
// Scores of a ranking do not tell: its best file has 1 for any task.
//
// The weights are a logistic regression on commit messages of eleven repositories, each against the code of its own
// repository and against that of the ten others, and on prompts that are about no code:
//
//	go run ./bench/inject -repos DIR -instances DIR -fit
//
// With the weights of the ten others, a repository's own messages pass in 58 % (subjects) and 69 % (whole messages) of
// cases, those of the others in 10 %, the rest in 1 %. Left out, since nothing was gained: names that the task
// spells, the share that one whole file holds, and the number of files.
type Evidence struct {
	Mention float64 // 0–1: it names a path, a file or a module
	Words   float64 // logarithm of 1 + its words that count
	Theme   float64 // above 0: its words are the code's own; below: everybody's, or unknown: [words.Theme]
	Part    float64 // 0–1: share of it, by rarity, that one function, type or block holds
}

const (
	evidenceBase    = -3.37
	evidenceMention = 1.05
	evidenceWords   = 0.83
	evidenceTheme   = 0.52
	evidencePart    = 2.44

	// evidenceCut lets through at most one of ten foreign messages of a repository left out.
	evidenceCut = 0.9
)

// Sum is the evidence in log odds.
func (e Evidence) Sum() float64 {
	return evidenceBase + evidenceMention*e.Mention + evidenceWords*e.Words + evidenceTheme*e.Theme + evidencePart*e.Part
}

// Sure reports whether the evidence is enough to show somebody this code unasked.
func (e Evidence) Sure() bool { return e.Sum() >= evidenceCut }

// EvidenceOf weighs whether a task is about this code.
func EvidenceOf(ctx context.Context, m *RepoMap, task string) (e Evidence, err error) {
	p, err := m.taskPlanFor(ctx, task)
	if err != nil || len(p.terms) == 0 {
		return Evidence{}, err
	}
	weights, all := make([]float64, len(p.terms)), 0.0
	for t := range p.terms {
		weights[t] = p.terms[t].weight * p.body.idf[t]
		all += weights[t]
	}
	uses, total := make([]float64, len(p.terms)), 0.0
	for i, c := range m.chunks {
		v := &c.rec.vector
		total += float64(v.length)
		var held []float64 // by segment
		for _, x := range p.body.of(i) {
			uses[x.term] += float64(x.n)
			if p.best[i] < 0 {
				continue
			}
			if held == nil {
				held = make([]float64, len(v.segments))
			}
			v.bySegment(int(x.at), func(s, _ int) {
				held[s] += weights[x.term]
				e.Part = max(e.Part, held[s]/all)
			})
		}
		e.Mention = max(e.Mention, p.signals[i][Mention])
	}
	e.Words, e.Theme = math.Log1p(float64(p.words)), p.theme(uses, total)
	return e, ctx.Err()
}

// theme tells whether the task's words are the code's own.
func (p *taskPlan) theme(uses []float64, total float64) float64 {
	theme := words.Theme{Words: total}
	for i, t := range p.terms {
		theme.Add(words.Stem(words.Fold(t.word)), uses[i])
	}
	return theme.SignedRoot()
}
