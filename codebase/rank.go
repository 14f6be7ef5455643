package codebase

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Relevance of a file to a task is a weighted sum of six signals, each divided
// by its largest value over the files that are not tests (but see confidence):
//
//	body     BM25 over the file's terms
//	chunk    the best BM25 of one function, method or type in it
//	path     BM25 over the terms of its path
//	defs     BM25 over the terms of the names it defines
//	exact    it defines a name that the task spells exactly
//	mention  the task names its path, file name or dotted module
//
// The weights move with the task's length, since a short task names things and
// a long one describes them. Tests count less unless the task is about tests.
// The number of dependents, which helps no query as a signal of its own
// (measured as PageRank: −0.4 to +0.1 points), only orders what is equal.

// The constants of BM25, tuned on issues and their fixes (k1 1.2 → 2.0 and
// b .75 → .5: +0.7 points MRR). A function is normalised against a fixed length
// so that its score does not move with how the rest of the tree is cut.
const (
	k1            = 2.0
	b             = .5
	segmentLength = 150
)

// testWeight demotes tests: they repeat the words of what they test.
const testWeight = .3

// weights of the signals.
type weights struct{ body, chunk, path, defs, exact, mention float64 }

// Fitted on short commit messages (177 of six repositories: R@1 .50 → .55, R@5
// .80 → .83, MRR .70 → .74 over body alone; 33 of a seventh, not fitted on: MRR
// .60 → .79) and on long issue texts; in between the weights are interpolated.
// Words here are those that are not stop words.
var (
	shortWeights = weights{body: 1, chunk: .3, path: .8, defs: .1, exact: .1, mention: .8}
	longWeights  = weights{body: 1, chunk: .8, path: .5, defs: .1, exact: .1, mention: .5}
)

const (
	shortWords = 15
	longWords  = 80
)

func weightsFor(words int) weights {
	t := min(1, max(0, float64(words-shortWords)/(longWords-shortWords)))
	mix := func(a, b float64) float64 { return a + t*(b-a) }
	s, l := shortWeights, longWeights
	return weights{
		mix(s.body, l.body), mix(s.chunk, l.chunk), mix(s.path, l.path),
		mix(s.defs, l.defs), mix(s.exact, l.exact), mix(s.mention, l.mention),
	}
}

// confidence is the share of what a complete match would score that the best
// path, the best names or the best exact definition must reach to count in full.
// Without it, one common word in one path decides tasks that name no path at all
// (fitted with the short weights: +.01 MRR).
const confidence = .5

// fullExact is what a complete match of exact names scores: two words of a task
// that only one file defines.
const fullExact = 2

// connectivityPrior is small enough to move nothing that words can tell apart.
const connectivityPrior = .001

// Ranked is a file with its relevance to a task.
type Ranked struct {
	Path   string
	Score  float64 // 0–1; the best file of a task has 1
	Reason string  // what of the task it answers, for people
}

// signals are one file's values before weighting.
type signals struct {
	body, chunk, path, defs, exact, mention float64
	best                                    int // segment of chunk
}

// plan is a task with everything that ranking it needs of the whole map.
type plan struct {
	text string
	task
	weights

	idf        []float64 // by task term, over bodies
	pathIDF    []float64
	defsIDF    []float64
	pathFull   float64 // what a path with all of the task's terms would score, about
	defsFull   float64
	bodyLength float64 // means
	pathLength float64
	defsLength float64
	found      [][]float64 // term frequencies in bodies, by chunk; nil if none occurs
	exact      map[string]float64
	exactNames map[string][]string
}

// planFor returns the plan of a task; the last one is kept, since callers ask
// for the files and then for the symbols of each.
func (m *RepoMap) planFor(text string) *plan {
	if p := m.plan.Load(); p != nil && p.text == text {
		return p
	}
	p := m.newPlan(text)
	m.plan.Store(p)
	return p
}

func (m *RepoMap) newPlan(text string) *plan {
	t := parseTask(text)
	p := &plan{text: text, task: t, weights: weightsFor(t.words)}
	n := len(t.terms)
	body, paths, defs := make([]int, n), make([]int, n), make([]int, n)
	p.found = make([][]float64, len(m.chunks))
	for i, c := range m.chunks {
		v := c.terms
		p.bodyLength += float64(v.length)
		p.pathLength += float64(v.path.length)
		p.defsLength += float64(v.defs.length)
		for j, q := range t.terms {
			if n := total(v.of(q.term)); n > 0 {
				if p.found[i] == nil {
					p.found[i] = make([]float64, len(t.terms))
				}
				p.found[i][j] = float64(n)
				body[j]++
			}
			paths[j] += min(1, v.path.count(q.term))
			defs[j] += min(1, v.defs.count(q.term))
		}
	}
	files := float64(max(1, len(m.chunks)))
	p.bodyLength, p.pathLength, p.defsLength = p.bodyLength/files, p.pathLength/files, p.defsLength/files
	p.idf, p.pathIDF, p.defsIDF = idfs(body, files), idfs(paths, files), idfs(defs, files)
	for j, q := range t.terms {
		p.pathFull += q.weight * p.pathIDF[j]
		p.defsFull += q.weight * p.defsIDF[j]
	}
	p.findExact(m)
	return p
}

func idfs(df []int, n float64) []float64 {
	out := make([]float64, len(df))
	for i, d := range df {
		out[i] = math.Log(1 + (n-float64(d)+.5)/(float64(d)+.5))
	}
	return out
}

// maxDefinitions is the number of files beyond which a name tells nothing.
const maxDefinitions = 50

// findExact scores the files that define a name the task spells: the rarer the
// definition, the more. A plain word counts only if few files define it.
func (p *plan) findExact(m *RepoMap) {
	p.exact, p.exactNames = map[string]float64{}, map[string][]string{}
	for _, n := range p.names {
		in := map[string]bool{}
		for _, d := range m.Lookup(n.name) {
			in[d.Path] = true
		}
		if len(in) == 0 || len(in) > maxDefinitions {
			continue
		}
		for path := range in {
			p.exact[path] += n.weight / float64(len(in))
			p.exactNames[path] = append(p.exactNames[path], n.name)
		}
	}
}

// bm25 is one term's part of a BM25 score.
func bm25(idf, tf, length, mean float64) float64 {
	return idf * tf * (k1 + 1) / (tf + k1*(1-b+b*length/max(mean, 1)))
}

// Rank orders the files by their relevance to a task, best first. Files that
// have nothing to do with it are left out. Equal maps and tasks give equal
// results.
func (m *RepoMap) Rank(text string) []Ranked {
	p := m.planFor(text)
	all := make([]signals, len(m.chunks))
	top := signals{path: confidence * p.pathFull, defs: confidence * p.defsFull, exact: confidence * fullExact}
	for i, c := range m.chunks {
		all[i] = p.signals(c, p.found[i])
		if c.Type != Test || p.tests {
			top = top.max(all[i])
		}
	}
	most := 1
	for _, from := range m.dependents {
		most = max(most, len(from))
	}
	type scored struct {
		i     int
		score float64
	}
	var hits []scored
	for i, c := range m.chunks {
		score := p.weigh(all[i], top)
		if score <= 0 {
			continue
		}
		if c.Type == Test && !p.tests {
			score *= testWeight
		}
		score += connectivityPrior * float64(len(m.dependents[c.Path])) / float64(most)
		hits = append(hits, scored{i, score})
	}
	slices.SortFunc(hits, func(a, b scored) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.i, b.i)) })
	out := make([]Ranked, len(hits))
	for rank, h := range hits {
		c := m.chunks[h.i]
		out[rank] = Ranked{Path: c.Path, Score: h.score / hits[0].score}
		if rank < maxReasons {
			out[rank].Reason = p.reason(c, all[h.i], p.found[h.i], top)
		}
	}
	return out
}

// maxReasons is how many of the best files say why they are there.
const maxReasons = 200

// max returns the largest values of two.
func (s signals) max(o signals) signals {
	return signals{
		max(s.body, o.body), max(s.chunk, o.chunk), max(s.path, o.path),
		max(s.defs, o.defs), max(s.exact, o.exact), max(s.mention, o.mention), 0,
	}
}

// weigh adds the signals up, each in proportion to its top value.
func (p *plan) weigh(s, top signals) float64 {
	part := func(w, v, top float64) float64 {
		if top == 0 {
			return 0
		}
		return w * min(v/top, 1)
	}
	return part(p.weights.body, s.body, top.body) + part(p.weights.chunk, s.chunk, top.chunk) +
		part(p.weights.path, s.path, top.path) + part(p.weights.defs, s.defs, top.defs) +
		part(p.weights.exact, s.exact, top.exact) + part(p.weights.mention, s.mention, top.mention)
}

// signals computes one file's values. found are the task's terms in its body.
func (p *plan) signals(c *Chunk, found []float64) signals {
	v := c.terms
	var s signals
	for j, q := range p.terms {
		if found != nil && found[j] > 0 {
			s.body += q.weight * bm25(p.idf[j], found[j], float64(v.length), p.bodyLength)
		}
		if n := v.path.count(q.term); n > 0 {
			s.path += q.weight * bm25(p.pathIDF[j], float64(n), float64(v.path.length), p.pathLength)
		}
		if n := v.defs.count(q.term); n > 0 {
			s.defs += q.weight * bm25(p.defsIDF[j], float64(n), float64(v.defs.length), p.defsLength)
		}
	}
	if found != nil {
		scores := p.segments(v)
		for i, score := range scores {
			if score > s.chunk {
				s.chunk, s.best = score, i
			}
		}
	}
	s.exact = p.exact[c.Path]
	s.mention = mention(c.Path, p.paths)
	return s
}

// segments scores each segment of a file by itself.
func (p *plan) segments(v *vector) []float64 {
	scores := make([]float64, len(v.segments))
	for j, q := range p.terms {
		for _, n := range v.of(q.term) {
			length := float64(v.segments[n.segment].length)
			scores[n.segment] += q.weight * bm25(p.idf[j], float64(n.n), length, segmentLength)
		}
	}
	return scores
}

// reason says what made a file relevant, strongest first.
func (p *plan) reason(c *Chunk, s signals, found []float64, top signals) string {
	var parts []string
	if s.mention > 0 {
		parts = append(parts, "named in the task")
	}
	if names := p.exactNames[c.Path]; len(names) > 0 {
		parts = append(parts, "defines "+strings.Join(names[:min(3, len(names))], ", "))
	}
	if words := p.matched(func(j int) float64 { return float64(c.terms.path.count(p.terms[j].term)) * p.pathIDF[j] }); words != "" {
		parts = append(parts, "path: "+words)
	}
	if found != nil {
		if words := p.matched(func(j int) float64 { return math.Log1p(found[j]) * p.idf[j] }); words != "" {
			parts = append(parts, "text: "+words)
		}
	}
	if i := c.terms.segments[s.best].symbol; i >= 0 && s.chunk > top.chunk/2 {
		parts = append(parts, fmt.Sprintf("%s %s", c.Symbols[i].Kind, c.Symbols[i].Name))
	}
	return strings.Join(parts, "; ")
}

// matched names the up to four task words that count most.
func (p *plan) matched(value func(j int) float64) string {
	type hit struct {
		word  string
		value float64
	}
	best := map[string]float64{}
	for j, q := range p.terms {
		if v := q.weight * value(j); v > 0 {
			best[q.word] = max(best[q.word], v)
		}
	}
	var hits []hit
	for w, v := range best {
		hits = append(hits, hit{w, v})
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.word, b.word)) })
	words := make([]string, 0, 4)
	for _, h := range hits[:min(4, len(hits))] {
		if h.value > hits[0].value/10 { // not the "src" of every path
			words = append(words, h.word)
		}
	}
	return strings.Join(words, ", ")
}
