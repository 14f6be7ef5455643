package codebase

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// taskPlan holds the ranking's signals for a task, for any open file. It is made by one pass over the words of
// every file.
type taskPlan struct {
	text string
	task
	signals []Signals // by chunk; the task's signals, each 0–1

	filter            *termFilter // of the task's terms, if it has any
	body, paths, defs fieldHits
	best              []int32 // by chunk: the best part, -1 if not examined
	exactNames        map[int][]string
	votes             map[string]history.Vote
	shown             *shownCache
}

// fieldHits holds the positions of the task's terms in one field of the files.
type fieldHits struct {
	hits  []fieldHit // by chunk
	start []int32    // chunk i's hits are hits[start[i]:start[i+1]]
	df    []int      // by term of the task: the number of files that contain it
	mean  float64    // mean length
	idf   []float64
}

type fieldHit struct {
	term int32 // of the task
	at   int32 // index in the vector, for bodies
	n    int32
}

func (f *fieldHits) of(i int) []fieldHit { return f.hits[f.start[i]:f.start[i+1]] }

// taskPlanFor returns the plan of a task. The last one is kept, since callers ask for the files, then for the
// symbols of each, and again when the cursor moved.
func (m *RepoMap) taskPlanFor(ctx context.Context, text string) (*taskPlan, error) {
	kept := &m.task
	if text == "" {
		kept = &m.noTask
	}
	if t := kept.Load(); t != nil && t.text == text {
		return t, nil
	}
	t, err := m.newTaskPlan(ctx, text)
	if err == nil {
		kept.Store(t)
	}
	return t, err
}

func (m *RepoMap) newTaskPlan(ctx context.Context, text string) (*taskPlan, error) {
	t := &taskPlan{text: text, task: parseTask(text), signals: make([]Signals, len(m.chunks)), shown: newShownCache()}
	if t.words == 0 {
		return t, nil
	}
	t.best = make([]int32, len(m.chunks))
	for _, step := range []func(context.Context, *RepoMap){
		t.findTerms, t.scoreFields, t.scoreMentions, t.scoreExact, t.scoreHistory, t.scoreParts,
	} {
		if step(ctx, m); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	m.normalise(&t.task, t.signals, t.floor(), 0, CoChange)
	return t, nil
}

// haltEvery is how many files a loop handles between two checks of its context: some tenths of a millisecond.
const haltEvery = 64

// halted checks now and then whether ctx has ended. The loop's result is useless then, and its caller checks ctx
// too.
func halted(ctx context.Context, i int) bool { return i%haltEvery == 0 && ctx.Err() != nil }

// findTerms finds the task's terms in one pass over the words of every file.
func (p *taskPlan) findTerms(ctx context.Context, m *RepoMap) {
	f := newTermFilter(p.terms)
	p.filter = f
	n := len(p.terms)
	p.body.find(ctx, m, f, n)
	p.paths.findIn(ctx, m, f, n, func(c *Chunk) *field { return &c.path })
	p.defs.findIn(ctx, m, f, n, func(c *Chunk) *field { return &c.rec.vector.defs })
}

// find finds the terms in the bodies of all files.
func (h *fieldHits) find(ctx context.Context, m *RepoMap, f *termFilter, terms int) {
	h.start = make([]int32, 1, len(m.chunks)+1)
	h.count(ctx, m, terms, func(c *Chunk) int {
		v := &c.rec.vector
		v.each(f, func(t int32, place int) { h.add(t, place, v.frequency(place)) })
		h.start = append(h.start, int32(len(h.hits)))
		return v.length
	})
}

// countFiles is find without positions: it only counts the files that contain each term.
func (h *fieldHits) countFiles(ctx context.Context, m *RepoMap, f *termFilter, terms int) {
	h.count(ctx, m, terms, func(c *Chunk) int {
		c.rec.vector.each(f, func(t int32, _ int) { h.df[t]++ })
		return c.rec.vector.length
	})
}

// count calls file, which returns the length of a field, with all files, and computes the means.
func (h *fieldHits) count(ctx context.Context, m *RepoMap, terms int, file func(*Chunk) int) {
	h.df = make([]int, terms)
	length := 0
	for i, c := range m.chunks {
		if halted(ctx, i) {
			return
		}
		length += file(c)
	}
	files := float64(max(1, len(m.chunks)))
	h.mean = float64(length) / files
	h.idf = make([]float64, len(h.df))
	for i, d := range h.df {
		h.idf[i] = math.Log(1 + (files-float64(d)+.5)/(float64(d)+.5))
	}
}

// each calls emit with the terms of a filter that a text contains, and their indexes in it.
func (v *vector) each(f *termFilter, emit func(t int32, place int)) {
	list := v.terms
	for i := 0; len(list) >= 4; i, list = i+1, list[4:] {
		x := binary.LittleEndian.Uint32(list)
		if !f.may(x) { // nearly all fail here: this loop is most of a query's cost
			continue
		}
		if t, ok := f.find(x); ok {
			emit(t, i)
		}
	}
}

// findIn finds the terms in a short field of all files.
func (h *fieldHits) findIn(ctx context.Context, m *RepoMap, f *termFilter, terms int, of func(*Chunk) *field) {
	h.start = make([]int32, 1, len(m.chunks)+1)
	h.count(ctx, m, terms, func(c *Chunk) int {
		words := of(c)
		for i, w := range words.terms {
			if t, ok := f.find(w); ok {
				h.add(t, i, int(words.counts[i]))
			}
		}
		h.start = append(h.start, int32(len(h.hits)))
		return words.length
	})
}

func (h *fieldHits) add(t int32, at, n int) {
	h.hits = append(h.hits, fieldHit{t, int32(at), int32(n)})
	h.df[t]++
}

// bm25 returns one term's part of a BM25 score.
func bm25(idf, tf, length, mean float64) float64 {
	return idf * tf * (k1 + 1) / (tf + k1*(1-b+b*length/max(mean, 1)))
}

func (p *taskPlan) scoreFields(_ context.Context, m *RepoMap) {
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

// maxDefinitions is the number of defining files beyond which a name means nothing.
const maxDefinitions = 50

// scoreExact scores the files that define a name which the task spells. The rarer the definition, the higher the
// score.
func (p *taskPlan) scoreExact(ctx context.Context, m *RepoMap) {
	p.exactNames = map[int][]string{}
	var in []int
	for i, n := range p.names {
		if halted(ctx, i) {
			return
		}
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

// recentDays is the time in which recency falls to 1/e (measured together with the other weights on issues and
// commits).
const recentDays = 180

// scoreHistory scores the files that were changed by commits whose messages match the task.
func (p *taskPlan) scoreHistory(_ context.Context, m *RepoMap) {
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

// partFiles is how many of the files with the best words get scores for their parts.
const partFiles = 400

// partCost is the time to score the parts of a file, in units of the time to score its words.
const partCost = 8

// scoreParts finds the best part of each file that may be relevant.
func (p *taskPlan) scoreParts(ctx context.Context, m *RepoMap) {
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
	for n, i := range order[:min(partFiles, len(order))] {
		if halted(ctx, n*partCost) {
			return
		}
		s := &p.signals[i]
		for j, score := range p.parts(m, i) {
			if score > s[Part] {
				s[Part], p.best[i] = score, int32(j)
			}
		}
	}
}

// parts scores each segment of a file by itself.
func (p *taskPlan) parts(m *RepoMap, i int) []float64 {
	v := &m.chunks[i].rec.vector
	scores := make([]float64, len(v.segments))
	if len(p.body.start) == 0 {
		return scores // the task is empty
	}
	for _, x := range p.body.of(i) {
		w := p.terms[x.term].weight
		v.bySegment(int(x.at), func(segment, n int) {
			scores[segment] += w * bm25(p.body.idf[x.term], float64(n), float64(v.segments[segment].length), partLength)
		})
	}
	return scores
}

// floor returns for each signal the score that its best file must reach, or else the signal is scaled down.
func (p *taskPlan) floor() Signals {
	var path, defs float64
	for i, t := range p.terms {
		path += t.weight * p.paths.idf[i]
		defs += t.weight * p.defs.idf[i]
	}
	return Signals{Path: confidence * path, Defines: confidence * defs, Exact: confidence * fullExact}
}

// normalise divides each signal in the range from–to by its largest value, or by top if that is larger. to is
// excluded.
func (m *RepoMap) normalise(t *task, signals []Signals, top Signals, from, to Signal) {
	for i, c := range m.chunks {
		if !t.demotes(c) {
			top.max(&signals[i])
		}
	}
	for i := range signals {
		s := &signals[i]
		for j := from; j < to; j++ {
			if top[j] > 0 {
				s[j] = min(s[j]/top[j], 1)
			} else {
				s[j] = min(s[j], 1)
			}
		}
	}
}
