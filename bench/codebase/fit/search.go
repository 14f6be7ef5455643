package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase"
)

// query is a line of a signals file.
type query struct {
	Repo       string
	Words      int
	Task, Open bool
	Candidates []struct {
		Gold    bool
		Demoted bool
		V       []float64
	}
	gold int
}

// maxQuery bounds a line, in bytes.
const maxQuery = 16 << 20

func readQueries(file string) ([]*query, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []*query
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, maxQuery)
	for lines.Scan() {
		var q query
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, len(out)+1, err)
		}
		for _, c := range q.Candidates {
			if len(c.V) != len(codebase.Signals{}) {
				return nil, fmt.Errorf("%s:%d: %d signals, not %d: made by another version", file, len(out)+1, len(c.V),
					len(codebase.Signals{}))
			}
			if c.Gold {
				q.gold++
			}
		}
		out = append(out, &q)
	}
	return out, lines.Err()
}

func only(queries []*query, keep func(*query) bool) []*query {
	return slices.DeleteFunc(slices.Clone(queries), func(q *query) bool { return !keep(q) })
}

// weights are the parameters that are fitted.
type weights struct {
	short, long, file codebase.Signals
	beside, demotion  float64
}

func startWeights() weights {
	short, long, file, beside, demotion := codebase.Weights()
	return weights{short, long, file, beside, demotion}
}

// of returns the weights of one query.
func (w *weights) of(q *query) codebase.Signals {
	var s codebase.Signals
	if q.Task {
		s = codebase.Interpolate(&w.short, &w.long, q.Words)
	}
	if q.Open {
		share := 1.0
		if q.Task {
			share = w.beside
		}
		for i := range s {
			s[i] += share * w.file[i]
		}
	}
	return s
}

// ranks returns the ranks of the gold files; equal scores count against them.
func (w *weights) ranks(q *query) []int {
	by := w.of(q)
	scores := make([]float64, len(q.Candidates))
	for i := range q.Candidates {
		c := &q.Candidates[i]
		for j, v := range c.V {
			scores[i] += by[j] * v
		}
		if c.Demoted {
			scores[i] *= w.demotion
		}
	}
	var out []int
	for i := range q.Candidates {
		if !q.Candidates[i].Gold {
			continue
		}
		rank := 1
		for j := range scores {
			if j != i && (scores[j] > scores[i] || scores[j] == scores[i] && !q.Candidates[j].Gold) {
				rank++
			}
		}
		out = append(out, rank)
	}
	return out
}

// measure tells how good weights are on queries, 0 to 1.
type measure func(queries []*query, w *weights) float64

func meanReciprocalRank(queries []*query, w *weights) float64 {
	sum := 0.0
	for _, q := range queries {
		if r := w.ranks(q); len(r) > 0 {
			sum += 1 / float64(slices.Min(r))
		}
	}
	return sum / float64(max(1, len(queries)))
}

// recallAt10 is the mean share of the other gold files among the first ten, with a
// little of the reciprocal rank to tell equal ones apart.
func recallAt10(queries []*query, w *weights) float64 {
	sum := 0.0
	for _, q := range queries {
		r := w.ranks(q)
		for _, rank := range r {
			if rank <= 10 {
				sum += 1 / float64(max(1, q.gold))
			}
		}
		if len(r) > 0 {
			sum += .02 / float64(slices.Min(r))
		}
	}
	return sum / float64(max(1, len(queries)))
}

// parameter is one number that is fitted.
type parameter func(*weights) *float64

func signal(of func(*weights) *codebase.Signals, s codebase.Signal) parameter {
	return func(w *weights) *float64 { return &of(w)[s] }
}

func taskParameters() []parameter {
	var out []parameter
	for _, of := range []func(*weights) *codebase.Signals{
		func(w *weights) *codebase.Signals { return &w.short }, func(w *weights) *codebase.Signals { return &w.long },
	} {
		for s := codebase.Part; s <= codebase.Recency; s++ { // Body is the unit
			out = append(out, signal(of, s))
		}
	}
	return append(out, func(w *weights) *float64 { return &w.demotion })
}

func openParameters() []parameter {
	var out []parameter
	for s := codebase.CoChange + 1; s <= codebase.Similar; s++ { // CoChange is the unit
		out = append(out, signal(func(w *weights) *codebase.Signals { return &w.file }, s))
	}
	return append(out, signal(func(w *weights) *codebase.Signals { return &w.file }, codebase.Recency))
}

func besideParameters() []parameter {
	return []parameter{func(w *weights) *float64 { return &w.beside }}
}

// steps are the values that a parameter may take: a coarse grid, so that what is fitted
// is no accident of single queries.
var steps = []float64{0, .05, .1, .15, .2, .3, .4, .5, .6, .8, 1, 1.25, 1.5, 2}

// leastGain is the smallest gain for which a step is taken.
const leastGain = .0008

// problem is a search for weights.
type problem struct {
	queries    []*query
	measure    measure
	parameters []parameter
}

// maxRounds bounds the search; three or four rounds are usual.
const maxRounds = 6

// fit changes one parameter at a time to its best value, until none gains.
func (p *problem) fit(from weights) (weights, float64) {
	best := from
	value := p.measure(p.queries, &best)
	for range maxRounds {
		before := value
		for _, at := range p.parameters {
			for _, step := range steps {
				try := best
				*at(&try) = step
				if v := p.measure(p.queries, &try); v > value+leastGain {
					best, value = try, v
				}
			}
		}
		if value == before {
			break
		}
	}
	return best, value
}
