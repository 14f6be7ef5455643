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

// plan is a query with the signals of every file for it.
type plan struct {
	query Query
	*taskPlan
	weights Signals
	signals []Signals      // by chunk
	hints   map[int]Hint   // the one that counts, by chunk
	closest map[int]string // the hinted file that another one is close to
	own     *[]Signals     // signals, where they are not the task's
}

// spareSignals are the buffers of finished plans (*[]Signals), for reuse: a large map's
// take most of what following a cursor allocates.
var spareSignals sync.Pool

// Rank orders the files by their relevance to a query, best first. Files that
// have nothing to do with it are left out. Equal maps and queries give equal
// results. What it knows of the last task and of the last open file is kept: to ask
// again after the cursor moved costs little.
func (m *RepoMap) Rank(q Query) []Ranked {
	out, _ := m.RankWithin(context.Background(), q) // which never ends
	return out
}

// RankWithin is [RepoMap.Rank] for a caller who does not wait longer than ctx.
func (m *RepoMap) RankWithin(ctx context.Context, q Query) ([]Ranked, error) {
	return m.RankSome(ctx, q, len(m.chunks), func(*Chunk) bool { return true })
}

// RankSome is RankWithin for a caller who looks at the best n files of those it wants:
// what the others are ranked by is not written out. Scores and reasons are the same.
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

// demotes reports whether a file counts less for the task: tests repeat the words of
// what they test, nobody edits generated code, and styles and data hold words of everything, unless the task
// says their kind, their name or their folder: css, release, workflows.
func (t *task) demotes(c *Chunk) bool {
	dir, name := path.Split(c.Path)
	return c.Type == Test && !t.tests || c.Origin != "" ||
		discover.IsData(name) && !t.says(strings.ReplaceAll(name, ".", " ")) && !t.says(path.Base(dir))
}

// says reports whether a word stands in the task.
func (t *task) says(word string) (found bool) {
	terms.Scan(word, func(h term, _ int) {
		_, ok := slices.BinarySearchFunc(t.terms, h, func(a taskTerm, b term) int { return cmp.Compare(a.term, b) })
		found = found || ok
	})
	return found
}
