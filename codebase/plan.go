package codebase

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// plan is a query with the signals of every file for it.
type plan struct {
	query Query
	task
	weights Signals
	signals []Signals // by chunk

	body, paths, defs fieldHits
	best              []int32 // by chunk: the best part, -1 if not looked at
	exactNames        map[int][]string
	votes             map[string]history.Vote
}

// fieldHits are the places where one field of the files holds terms of the task.
type fieldHits struct {
	hits  []fieldHit // by chunk
	start []int32    // chunk i's hits are hits[start[i]:start[i+1]]
	df    []int      // by term of the task
	mean  float64    // length
	idf   []float64
}

type fieldHit struct {
	term int32 // of the task
	at   int32 // index in the vector, for bodies
	n    int32
}

func (f *fieldHits) of(i int) []fieldHit { return f.hits[f.start[i]:f.start[i+1]] }

// planFor returns the plan of a query; the last one is kept, since callers ask
// for the files and then for the symbols of each.
func (m *RepoMap) planFor(q Query) *plan {
	if p := m.plan.Load(); p != nil && p.query == q {
		return p
	}
	p := m.newPlan(q)
	m.plan.Store(p)
	return p
}

func (m *RepoMap) newPlan(q Query) *plan {
	p := &plan{query: q, task: parseTask(q.Task), signals: make([]Signals, len(m.chunks))}
	p.weights = weightsFor(&p.task, q)
	p.best = make([]int32, len(m.chunks))
	top := Signals{}
	if p.task.words > 0 {
		p.findTerms(m)
		p.scoreFields(m)
		p.scoreExact(m)
		p.scoreMentions(m)
		p.scoreHistory(m)
		p.scoreParts(m)
		top = p.floor()
	}
	if q.File != "" {
		p.scoreNeighbours(m)
	}
	p.normalise(m, top)
	return p
}

// findTerms walks through the words of every file once.
func (p *plan) findTerms(m *RepoMap) {
	f := newTermFilter(p.terms)
	n := len(p.terms)
	p.body.find(m, f, n)
	p.paths.findIn(m, f, n, func(c *Chunk) *field { return &c.path })
	p.defs.findIn(m, f, n, func(c *Chunk) *field { return &c.rec.vector.defs })
}

// find walks through the bodies of all files.
func (h *fieldHits) find(m *RepoMap, f *termFilter, terms int) {
	h.start, h.df = make([]int32, 1, len(m.chunks)+1), make([]int, terms)
	length := 0
	for _, c := range m.chunks {
		v := &c.rec.vector
		list := v.terms
		for i := 0; len(list) >= 4; i, list = i+1, list[4:] {
			x := binary.LittleEndian.Uint32(list)
			if !f.may(x) { // nearly all: this loop is most of what a query costs
				continue
			}
			if t, ok := f.find(x); ok {
				h.add(t, i, v.frequency(i))
			}
		}
		length += v.length
		h.start = append(h.start, int32(len(h.hits)))
	}
	h.finish(len(m.chunks), length)
}

// findIn walks through a short field of all files.
func (h *fieldHits) findIn(m *RepoMap, f *termFilter, terms int, of func(*Chunk) *field) {
	h.start, h.df = make([]int32, 1, len(m.chunks)+1), make([]int, terms)
	length := 0
	for _, c := range m.chunks {
		words := of(c)
		for i, w := range words.terms {
			if t, ok := f.find(w); ok {
				h.add(t, i, int(words.counts[i]))
			}
		}
		length += words.length
		h.start = append(h.start, int32(len(h.hits)))
	}
	h.finish(len(m.chunks), length)
}

func (h *fieldHits) add(t int32, at, n int) {
	h.hits = append(h.hits, fieldHit{t, int32(at), int32(n)})
	h.df[t]++
}

func (h *fieldHits) finish(chunks, length int) {
	files := float64(max(1, chunks))
	h.mean = float64(length) / files
	h.idf = make([]float64, len(h.df))
	for i, d := range h.df {
		h.idf[i] = math.Log(1 + (files-float64(d)+.5)/(float64(d)+.5))
	}
}

// bm25 is one term's part of a BM25 score.
func bm25(idf, tf, length, mean float64) float64 {
	return idf * tf * (k1 + 1) / (tf + k1*(1-b+b*length/max(mean, 1)))
}

func (p *plan) scoreFields(m *RepoMap) {
	sum := func(h *fieldHits, i, length int) (s float64) {
		for _, x := range h.of(i) {
			s += p.terms[x.term].weight * bm25(h.idf[x.term], float64(x.n), float64(length), h.mean)
		}
		return s
	}
	for i, c := range m.chunks {
		s := &p.signals[i]
		s[Body] = sum(&p.body, i, c.rec.vector.length)
		s[Path] = sum(&p.paths, i, c.path.length)
		s[Defines] = sum(&p.defs, i, c.rec.vector.defs.length)
	}
}

// maxDefinitions is the number of files beyond which a name tells nothing.
const maxDefinitions = 50

// scoreExact scores the files that define a name the task spells: the rarer the
// definition, the more.
func (p *plan) scoreExact(m *RepoMap) {
	p.exactNames = map[int][]string{}
	var in []int
	for _, n := range p.names {
		in = in[:0]
		m.defining(terms.Name(n.name), func(c *Chunk) { in = append(in, m.index[c.Path]) })
		if len(in) == 0 || len(in) > maxDefinitions {
			continue
		}
		for _, i := range in {
			p.signals[i][Exact] += n.weight / float64(len(in))
			p.exactNames[i] = append(p.exactNames[i], n.name)
		}
	}
}

func (p *plan) scoreMentions(m *RepoMap) {
	if len(p.task.paths) == 0 {
		return
	}
	for i, c := range m.chunks {
		p.signals[i][Mention] = mention(c.Path, p.task.paths)
	}
}

// recentDays is the time in which recency falls to 1/e (measured with the other
// weights on issues and commits).
const recentDays = 180

// scoreHistory lets the commits speak whose messages fit the task.
func (p *plan) scoreHistory(m *RepoMap) {
	if m.history == nil {
		return
	}
	asked := make([]history.Weighted, len(p.terms))
	for i, t := range p.terms {
		asked[i] = history.Weighted{Term: t.term, Weight: t.weight}
	}
	p.votes = m.history.Votes(asked)
	for i, c := range m.chunks {
		s := &p.signals[i]
		if v, ok := p.votes[c.Path]; ok {
			s[Votes], s[Vote] = v.Sum, v.Max
		}
		fits := s[Body]+s[Path]+s[Defines]+s[Exact]+s[Mention]+s[Votes] > 0
		if days, ok := m.history.Age(c.Path); ok && fits {
			s[Recency] = math.Exp(-days / recentDays)
		}
	}
}

// partFiles is how many of the files with the best words have their parts scored.
const partFiles = 400

// scoreParts finds the best part of each file that may matter.
func (p *plan) scoreParts(m *RepoMap) {
	order := make([]int, 0, len(m.chunks))
	for i := range m.chunks {
		p.best[i] = -1
		if p.signals[i][Body] > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(p.signals[b][Body], p.signals[a][Body]), cmp.Compare(a, b))
	})
	for _, i := range order[:min(partFiles, len(order))] {
		s := &p.signals[i]
		for j, score := range p.parts(m, i) {
			if score > s[Part] {
				s[Part], p.best[i] = score, int32(j)
			}
		}
	}
}

// parts scores each segment of a file by itself.
func (p *plan) parts(m *RepoMap, i int) []float64 {
	v := &m.chunks[i].rec.vector
	scores := make([]float64, len(v.segments))
	if len(p.body.start) == 0 {
		return scores // no task
	}
	for _, x := range p.body.of(i) {
		w := p.terms[x.term].weight
		v.bySegment(int(x.at), func(segment, n int) {
			scores[segment] += w * bm25(p.body.idf[x.term], float64(n), float64(v.segments[segment].length), partLength)
		})
	}
	return scores
}

// floor is what the best value of a signal must at least be to count in full.
func (p *plan) floor() Signals {
	var path, defs float64
	for i, t := range p.terms {
		path += t.weight * p.paths.idf[i]
		defs += t.weight * p.defs.idf[i]
	}
	return Signals{Path: confidence * path, Defines: confidence * defs, Exact: confidence * fullExact}
}

// normalise divides each signal by its largest value.
func (p *plan) normalise(m *RepoMap, top Signals) {
	for i, c := range m.chunks {
		if !p.demotes(c) {
			top.max(&p.signals[i])
		}
	}
	for i := range p.signals {
		s := &p.signals[i]
		for j := range s {
			if top[j] > 0 {
				s[j] = min(s[j]/top[j], 1)
			} else {
				s[j] = min(s[j], 1)
			}
		}
	}
}
