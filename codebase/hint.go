package codebase

import (
	"cmp"
	"context"
	"maps"
	"slices"
)

// Hint is a file that is close to the task for a reason that the asker knows and the map cannot know: it is
// open too, was edited just now, has an error, or a language server found references in it.
type Hint struct {
	Path   string
	Weight float64 // 0–1
	Reason string  // for people: "edited 2 minutes ago"
}

// The reach of a hint: the files around those of the heaviest hints get a share of their weight, the closest
// one nearly all of it. With half of it the measurement at hintWeight gives .833, .868 and .763.
const (
	spreadHints = 4
	hintSpread  = .99
)

// scoreHints gives each hinted file the greatest weight of its hints, up to 1, and the
// files around it a share.
func (p *plan) scoreHints(ctx context.Context, m *RepoMap) {
	p.hints, p.closest = map[int]Hint{}, map[int]string{}
	for _, h := range p.query.Hints {
		h.Weight = min(h.Weight, 1)
		if i, ok := m.index[h.Path]; ok && h.Weight > p.hints[i].Weight {
			p.hints[i], p.signals[i][Hinted] = h, h.Weight
		}
	}
	heaviest := slices.SortedFunc(maps.Keys(p.hints), func(a, b int) int {
		return cmp.Or(cmp.Compare(p.hints[b].Weight, p.hints[a].Weight), cmp.Compare(a, b))
	})
	for _, at := range heaviest[:min(spreadHints, len(heaviest))] {
		share := hintSpread * p.hints[at].Weight
		for i, near := range p.around(ctx, m, at) {
			if s := &p.signals[i]; share*near > s[Hinted] {
				s[Hinted], p.closest[i] = share*near, m.chunks[at].Path
			}
		}
	}
}

// around returns how close other files are to one, from signals that need no walk through all files: the
// names it uses, files that change together with it, and imports. The closest is 1.
func (p *plan) around(ctx context.Context, m *RepoMap, at int) map[int]float64 {
	n := neighbours{chunk: m.chunks[at]}
	n.findUses(ctx, m, at)
	refers, together := map[int]float64{}, map[int]float64{}
	for _, u := range n.uses {
		refers[int(u.chunk)] += u.weight
	}
	if m.history != nil {
		for path, x := range m.history.CoChange(n.chunk.Path) {
			if i, ok := m.index[path]; ok {
				together[i] = x
			}
		}
	}
	out := map[int]float64{}
	for i, x := range p.scaled(m, refers, at) {
		out[i] += fileWeights[RefersTo] * x
	}
	for i, x := range p.scaled(m, together, at) {
		out[i] += fileWeights[CoChange] * x
	}
	for _, to := range n.chunk.deps {
		out[m.index[to]] += fileWeights[Imported]
	}
	for _, from := range m.dependents[n.chunk.Path] {
		out[m.index[from]] += fileWeights[Imports]
	}
	top := 0.0
	for _, x := range out {
		top = max(top, x)
	}
	for i := range out {
		out[i] /= top
	}
	return out
}

// scaled divides values of files by the largest of those that are neither tests nor
// generated, up to 1, and leaves out one file.
func (p *plan) scaled(m *RepoMap, values map[int]float64, without int) map[int]float64 {
	delete(values, without)
	top := 0.0
	for i, x := range values {
		if !p.demotes(m.chunks[i]) {
			top = max(top, x)
		}
	}
	for i := range values {
		values[i] = min(values[i]/top, 1) // without others, tests and generated files have 1
	}
	return values
}
