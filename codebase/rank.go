package codebase

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/codebase/discover"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// plan is a query with its signals for every file.
type plan struct {
	query Query
	*taskPlan
	weights Signals
	signals []Signals      // by chunk
	hints   map[int]Hint   // by chunk, the hint that counts
	closest map[int]string // by chunk, the hinted file to which it is close
	own     *[]Signals     // signals, if they are not those of the task's plan
}

// spareSignals holds the buffers of finished plans (*[]Signals) for reuse. For a large map, they are most of what
// is allocated while the cursor moves.
var spareSignals sync.Pool

// Rank orders the files by their relevance to a query, best first. It leaves out files without any relevance.
// Equal maps and queries give equal results. Data about the last task and the last open file are kept, so that a
// query after a move of the cursor is cheap.
func (m *RepoMap) Rank(q Query) []Ranked {
	out, _ := m.RankWithin(context.Background(), q) // the context never ends
	return out
}

// RankWithin is [RepoMap.Rank] with a context that can end it.
func (m *RepoMap) RankWithin(ctx context.Context, q Query) ([]Ranked, error) {
	return m.RankSome(ctx, q, len(m.chunks), func(*Chunk) bool { return true })
}

// RankSome is RankWithin for a caller who needs only the best n files among those wanted. The rest is not written
// out. Scores and reasons are the same.
func (m *RepoMap) RankSome(ctx context.Context, q Query, n int, wanted func(*Chunk) bool) ([]Ranked, error) {
	p, err := m.planFor(ctx, q)
	if err != nil {
		return nil, err
	}
	if p.own != nil {
		defer spareSignals.Put(p.own)
	}
	type scored struct {
		i     int
		score float64
	}
	hits := make([]scored, 0, len(m.chunks))
	for i, c := range m.chunks {
		score := p.signals[i].weighed(&p.weights)
		if score <= 0 || c.Path == q.File {
			continue
		}
		if p.demotes(c) {
			score *= demotion
		}
		score += connectivityPrior * float64(len(m.dependents[c.Path])) / float64(max(1, m.most))
		hits = append(hits, scored{i, score})
	}
	slices.SortFunc(hits, func(a, b scored) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.i, b.i)) })
	out := make([]Ranked, 0, min(n, len(hits)))
	for rank, h := range hits {
		if len(out) == n {
			break
		}
		c := m.chunks[h.i]
		if !wanted(c) {
			continue
		}
		r := Ranked{Path: c.Path, Score: h.score / hits[0].score, Signals: p.signals[h.i], Demoted: p.demotes(c)}
		if rank < maxReasons {
			r.Reason = p.reason(m, h.i)
		}
		out = append(out, r)
	}
	return out, ctx.Err()
}

// planFor makes the plan of a query from those of its task and its file.
func (m *RepoMap) planFor(ctx context.Context, q Query) (*plan, error) {
	t, err := m.taskPlanFor(ctx, q.Task)
	if err != nil {
		return nil, err
	}
	p := &plan{query: q, taskPlan: t, weights: weightsFor(&t.task, q), signals: t.signals}
	_, open := m.index[q.File]
	if !open && len(q.Hints) == 0 {
		return p, nil
	}
	p.own, _ = spareSignals.Get().(*[]Signals)
	if p.own == nil {
		p.own = new([]Signals)
	}
	*p.own = append((*p.own)[:0], t.signals...)
	p.signals = *p.own
	if open {
		near, err := m.neighboursOf(ctx, q.File)
		if err != nil {
			return nil, err
		}
		near.score(m, q.Offset, p.signals)
		m.normalise(&t.task, p.signals, Signals{}, CoChange, Hinted)
	}
	p.scoreHints(ctx, m)
	return p, ctx.Err()
}

// demotes reports whether a file counts less for the task. Tests repeat the words of the code they test; they
// count in full if the task is about tests. Generated code is never edited. Styles and data contain all kinds of
// words; they count in full if the task mentions their name or their folder: css, release, workflows.
func (t *task) demotes(c *Chunk) bool {
	dir, name := path.Split(c.Path)
	return c.Type == Test && !t.tests || c.Origin != "" ||
		discover.IsData(name) && !t.says(strings.ReplaceAll(name, ".", " ")) && !t.says(path.Base(dir))
}

// says reports whether the task contains a word.
func (t *task) says(word string) (found bool) {
	terms.Scan(word, func(h term, _ int) {
		_, ok := slices.BinarySearchFunc(t.terms, h, func(a taskTerm, b term) int { return cmp.Compare(a.term, b) })
		found = found || ok
	})
	return found
}
