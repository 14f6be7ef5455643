package codebase

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// rareName is the number of definitions beyond which the use of a name does not tell which one is meant (own
// measurement on 542 changes of several files; research on symbol graphs uses the same).
const rareName = 5

// Factors that make a use count more: the user imports the definer, and the use is near the cursor.
const (
	importedUse = 2
	cursorUse   = 2
)

// similarTerms is how many of the open file's most informative words are searched for in the other files.
const similarTerms = 60

// neighbours holds the ranking's signals for the files around an open one, for any position of the cursor. So
// moving the cursor reads no file again.
type neighbours struct {
	chunk  *Chunk
	fixed  []fixedSignals
	uses   []nameHit // files that define rare names which the open file uses
	usedBy []nameHit // files that use rare names which the open file defines
	words  []wordHits
	mean   float64 // mean length of a file
}

// fixedSignals are the signals of a chunk that do not depend on the cursor.
type fixedSignals struct{ coChange, imported, imports, near, alike float64 }

// nameHit connects a chunk with the open file by a name.
type nameHit struct {
	name   terms.Term
	chunk  int32
	weight float64
}

// wordHits is a word of the open file that may show which files are similar, with the files that contain it.
type wordHits struct {
	taskTerm
	idf  float64
	hits []wordHit
}

type wordHit struct{ chunk, n int32 }

// neighboursOf returns the neighbours of an open file. The result for the last file is kept.
func (m *RepoMap) neighboursOf(ctx context.Context, file string) (*neighbours, error) {
	if n := m.near.Load(); n != nil && n.chunk.Path == file {
		return n, nil
	}
	at := m.index[file]
	n := &neighbours{chunk: m.chunks[at]}
	for _, step := range []func(context.Context, *RepoMap, int){n.findUses, n.findUsers, n.findSimilar, n.findFixed} {
		if step(ctx, m, at); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	m.near.Store(n)
	return n, nil
}

// findUses follows the names that the open file uses to their definitions.
func (n *neighbours) findUses(ctx context.Context, m *RepoMap, _ int) {
	c := n.chunk
	var in []int
	for i, u := range c.rec.uses {
		if halted(ctx, i) {
			return
		}
		in = in[:0]
		m.defining(u.Name, func(d *Chunk) { in = append(in, m.index[d.Path]) })
		if len(in) == 0 || len(in) > rareName {
			continue
		}
		w := math.Sqrt(float64(c.rec.times[i])) / float64(len(in))
		for _, d := range in {
			weight := w
			if _, imported := slices.BinarySearch(c.deps, m.chunks[d].Path); imported {
				weight *= importedUse
			}
			n.uses = append(n.uses, nameHit{u.Name, int32(d), weight})
		}
	}
}

// findUsers finds the files that use names which the open file defines.
func (n *neighbours) findUsers(ctx context.Context, m *RepoMap, at int) {
	var names []taskTerm
	for _, name := range n.chunk.rec.names { // sorted
		definers := 0
		m.defining(name, func(*Chunk) { definers++ })
		if definers > 0 && definers <= rareName {
			names = append(names, taskTerm{term: name, weight: 1 / float64(definers)})
		}
	}
	filter := newTermFilter(names)
	for i, o := range m.chunks {
		if halted(ctx, i) {
			return
		}
		if i == at {
			continue
		}
		for j, u := range o.rec.uses {
			t, ok := filter.find(u.Name)
			if !ok {
				continue
			}
			weight := names[t].weight * math.Sqrt(float64(o.rec.times[j]))
			if _, imports := slices.BinarySearch(o.deps, n.chunk.Path); imports {
				weight *= importedUse
			}
			n.usedBy = append(n.usedBy, nameHit{u.Name, int32(i), weight})
		}
	}
}

// findSimilar finds the files that contain the most informative words of the open one, for any position of the
// cursor.
func (n *neighbours) findSimilar(ctx context.Context, m *RepoMap, at int) {
	v := &n.chunk.rec.vector
	own := make([]taskTerm, v.n)
	for i := range own {
		own[i] = taskTerm{term: v.at(i), weight: 1 + math.Log(float64(v.frequency(i)))}
	}
	// Most words of a file occur in many others. The positions are looked up only for the few that may be
	// informative.
	var h fieldHits
	h.countFiles(ctx, m, newTermFilter(own), len(own))
	if ctx.Err() != nil {
		return
	}
	n.mean = h.mean
	var few []taskTerm
	for _, i := range h.candidates(own) {
		few = append(few, own[i])
		n.words = append(n.words, wordHits{taskTerm: own[i], idf: h.idf[i], hits: make([]wordHit, 0, h.df[i])})
	}
	filter := newTermFilter(few)
	for i, c := range m.chunks {
		if halted(ctx, i) {
			return
		}
		if i == at {
			continue
		}
		c.rec.vector.each(filter, func(t int32, place int) {
			n.words[t].hits = append(n.words[t].hits, wordHit{int32(i), int32(c.rec.vector.frequency(place))})
		})
	}
}

// candidates returns, in order, the words that can be among the similarTerms most informative ones, where words
// near the cursor count more. A word that occurs in no other file is left out.
func (h *fieldHits) candidates(own []taskTerm) []int {
	var tells []float64
	for i, t := range own {
		if h.df[i] > 1 {
			tells = append(tells, t.weight*h.idf[i])
		}
	}
	least := 0.0
	if len(tells) > similarTerms {
		slices.Sort(tells)
		least = tells[len(tells)-similarTerms] / cursorUse
	}
	var out []int
	for i, t := range own {
		if h.df[i] > 1 && t.weight*h.idf[i] >= least {
			out = append(out, i)
		}
	}
	return out
}

// findFixed computes the signals that do not depend on the cursor.
func (n *neighbours) findFixed(ctx context.Context, m *RepoMap, _ int) {
	c := n.chunk
	n.fixed = make([]fixedSignals, len(m.chunks))
	for _, to := range c.deps {
		n.fixed[m.index[to]].imported = 1
	}
	for _, from := range m.dependents[c.Path] {
		n.fixed[m.index[from]].imports = 1
	}
	var together map[string]float64
	if m.history != nil {
		together = m.history.CoChange(c.Path)
	}
	dir := dirOf(c.Path)
	idf := pathRarity(m, &c.path)
	folder, nearness := dir, 1.0 // the folder of the previous file, since in order of path many share it
	for i, o := range m.chunks {
		if halted(ctx, i) {
			return
		}
		s := &n.fixed[i]
		s.coChange = together[o.Path]
		if next := dirOf(o.Path); next != folder {
			folder, nearness = next, near(dir, next)
		}
		s.near = nearness
		s.alike = alikePaths(&c.path, &o.path, idf)
	}
}

// score sets the signals of an open file with the cursor at an offset.
func (n *neighbours) score(m *RepoMap, offset int, signals []Signals) {
	text := m.textAround(n.chunk, offset)
	for i := range n.fixed {
		f, s := &n.fixed[i], &signals[i]
		s[CoChange], s[Imported], s[Imports], s[Near], s[Alike] = f.coChange, f.imported, f.imports, f.near, f.alike
	}
	names := namesIn(text)
	scoreNames(n.uses, names, signals, RefersTo)
	scoreNames(n.usedBy, names, signals, ReferredBy)
	n.scoreSimilar(m, termsIn(text), signals)
}

// scoreNames adds up a signal over names. Names near the cursor count more.
func scoreNames(hits []nameHit, around map[terms.Term]bool, signals []Signals, signal Signal) {
	for _, h := range hits {
		weight := h.weight
		if around[h.name] {
			weight *= cursorUse
		}
		signals[h.chunk][signal] += weight
	}
}

// scoreSimilar compares the files by the open one's most informative words. Words near the cursor come first.
func (n *neighbours) scoreSimilar(m *RepoMap, around map[term]bool, signals []Signals) {
	weights, order := make([]float64, len(n.words)), make([]int, len(n.words))
	for i, w := range n.words {
		order[i], weights[i] = i, w.weight
		if around[w.term] {
			weights[i] *= cursorUse
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(weights[b]*n.words[b].idf, weights[a]*n.words[a].idf), cmp.Compare(a, b))
	})
	telling := order[:min(similarTerms, len(order))]
	slices.Sort(telling)
	for _, i := range telling {
		w := &n.words[i]
		for _, h := range w.hits {
			signals[h.chunk][Similar] += weights[i] * bm25(w.idf, float64(h.n), float64(m.chunks[h.chunk].rec.vector.length), n.mean)
		}
	}
}
