package history

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// Weighted is a term of a question and its weight.
type Weighted struct {
	Term   terms.Term
	Weight float64
}

// Vote is the support that commits give to one file.
type Vote struct {
	Sum, Max float64 // over the voting commits
	Commit   int     // the commit of Max: see History.Hash and Time
	Subject  string  // its subject
}

// maxVoters is the number of commits that vote, as in the measurements of this signal.
const maxVoters = 100

// Votes returns, for each file, how strongly the messages of the commits that
// changed it answer the question. A commit's score is BM25 over its message, each
// term weighted by the question, over the square root of the number of files that it
// changed; the best 100 commits vote. Weights that are not above 0 are left out.
func (h *History) Votes(query []Weighted) map[string]Vote {
	votes := map[string]Vote{}
	for _, v := range h.voters(query) {
		for _, id := range h.commits.filesOf(int(v.commit)) {
			path := h.paths[id]
			vote, ok := votes[path]
			if !ok {
				vote = Vote{Max: v.score, Commit: int(v.commit), Subject: h.Subject(int(v.commit))}
			}
			vote.Sum += v.score // voters come best first, so that Max stays
			votes[path] = vote
		}
	}
	return votes
}

// voter is a commit and its score.
type voter struct {
	commit uint32
	score  float64
}

// better orders voters: by score, the newer commit first where scores are equal.
func better(a, b voter) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.commit, b.commit))
}

// voters returns the best commits for a question, best first.
func (h *History) voters(query []Weighted) []voter {
	x := h.index()
	scores := scratch.get(h.Len())
	defer scratch.put(scores)
	for _, q := range merged(query) {
		at, ok := slices.BinarySearch(x.vocabulary, q.Term)
		if !ok {
			continue
		}
		from, to := span(x.termEnd, at)
		weight := q.Weight * rarity(h.Len(), int(to-from))
		for k := from; k < to; k++ {
			scores[x.commits[k]] += weight * float64(x.impacts[k])
		}
	}
	best := make([]voter, 0, 2*maxVoters)
	floor := 0.0
	for i, score := range scores {
		if score <= 0 {
			continue
		}
		score *= focus[h.commits.totals[i]]
		if score <= floor {
			continue
		}
		best = append(best, voter{uint32(i), score})
		if len(best) == cap(best) {
			slices.SortFunc(best, better)
			best = best[:maxVoters]
			floor = best[maxVoters-1].score
		}
	}
	slices.SortFunc(best, better)
	return best[:min(len(best), maxVoters)]
}

// focus is 1/sqrt(n) for each number of files.
var focus = func() (w [maxFiles + 1]float64) {
	for n := 1; n < len(w); n++ {
		w[n] = 1 / math.Sqrt(float64(n))
	}
	return w
}()

// rarity is BM25's inverse document frequency, always above 0.
func rarity(n, df int) float64 {
	return math.Log(1 + (float64(n)-float64(df)+0.5)/(float64(df)+0.5))
}

// merged adds up the weights of equal terms, in an order that does not depend on
// that of the question.
func merged(query []Weighted) []Weighted {
	sorted := slices.DeleteFunc(slices.Clone(query), func(q Weighted) bool { return !(q.Weight > 0) })
	slices.SortFunc(sorted, func(a, b Weighted) int {
		return cmp.Or(cmp.Compare(a.Term, b.Term), cmp.Compare(a.Weight, b.Weight))
	})
	out := sorted[:0]
	for _, q := range sorted {
		if last := len(out) - 1; last >= 0 && out[last].Term == q.Term {
			out[last].Weight += q.Weight
			continue
		}
		out = append(out, q)
	}
	return out
}

// maxTogether is the number of a file's commits that CoChange examines, newest first: it bounds the work.
// Files with more, such as change logs, change together with everything.
const maxTogether = 1_000

// CoChange returns the files that were changed in the same commits as path, each
// with the sum of 1/log2(1+n) over those commits, where n is how many files the
// commit changed. The newest 1,000 commits of path count.
func (h *History) CoChange(path string) map[string]float64 {
	x := h.index()
	id, ok := x.ids[path]
	if !ok {
		return nil
	}
	weights := scratch.get(len(h.paths))
	defer scratch.put(weights)
	var met []uint32
	from, to := span(x.fileEnd, int(id))
	for _, commit := range x.ofFile[from:min(to, from+maxTogether)] {
		weight := shared[h.commits.totals[commit]]
		for _, other := range h.commits.filesOf(int(commit)) {
			if other == id {
				continue
			}
			if weights[other] == 0 {
				met = append(met, other)
			}
			weights[other] += weight
		}
	}
	together := make(map[string]float64, len(met))
	for _, other := range met {
		together[h.paths[other]] = weights[other]
	}
	return together
}

// shared is 1/log2(1+n) for each number of files.
var shared = func() (w [maxFiles + 1]float64) {
	for n := 1; n < len(w); n++ {
		w[n] = 1 / math.Log2(float64(1+n))
	}
	return w
}()

// Age returns the days between the last commit that changed path and HEAD's commit,
// and false for a file that no commit changed. Clocks that run ahead give 0.
func (h *History) Age(path string) (days float64, ok bool) {
	x := h.index()
	id, ok := x.ids[path]
	if !ok {
		return 0, false
	}
	const day = 24 * 60 * 60
	return max(0, float64(h.headTime-x.lastChange[id])/day), true
}

// scratch is a pool of slices of zeros.
var scratch zeros

type zeros struct{ pool sync.Pool }

func (z *zeros) get(n int) []float64 {
	if s, ok := z.pool.Get().(*[]float64); ok && cap(*s) >= n {
		clear((*s)[:n])
		return (*s)[:n]
	}
	return make([]float64, n)
}

func (z *zeros) put(s []float64) { z.pool.Put(&s) }
