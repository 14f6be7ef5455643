package codebase

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// rareName is the number of files beyond which the use of a name says nothing
// about which of them is meant (own measurement on 542 changes of several files;
// research on symbol graphs uses the same).
const rareName = 5

// What makes a use count more: the user imports the definer, and the use stands
// around the cursor.
const (
	importedUse = 2
	cursorUse   = 2
)

// scoreNeighbours scores the files around the open one.
func (p *plan) scoreNeighbours(m *RepoMap) {
	at, ok := m.index[p.query.File]
	if !ok {
		return
	}
	c := m.chunks[at]
	p.scoreRefersTo(m, c)
	p.scoreReferredBy(m, c)
	for _, to := range c.deps {
		p.signals[m.index[to]][Imported] = 1
	}
	for _, from := range m.dependents[c.Path] {
		p.signals[m.index[from]][Imports] = 1
	}
	var together map[string]float64
	if m.history != nil {
		together = m.history.CoChange(c.Path)
	}
	p.scoreSimilar(m, at)
	dir := dirOf(c.Path)
	idf := pathRarity(m, &c.path)
	folder, nearness := dir, 1.0 // the last file's folder: in order of path many share it
	for i, o := range m.chunks {
		s := &p.signals[i]
		s[CoChange] = together[o.Path]
		if next := dirOf(o.Path); next != folder {
			folder, nearness = next, near(dir, next)
		}
		s[Near] = nearness
		s[Alike] = alikePaths(&c.path, &o.path, idf)
	}
}

// near is 1 in the same folder and less for each step to another one.
func near(a, b string) float64 {
	if a == b {
		return 1
	}
	steps := 0
	for a != b {
		if len(a) >= len(b) {
			a = dirOf(a)
		} else {
			b = dirOf(b)
		}
		steps++
	}
	if a == "" && steps > 1 {
		return 0
	}
	return math.Pow(.5, float64(steps))
}

// pathRarity returns the inverse document frequency of a path's words.
func pathRarity(m *RepoMap, path *field) []float64 {
	idf := make([]float64, len(path.terms))
	for _, c := range m.chunks {
		for i, t := range path.terms {
			if c.path.count(t) > 0 {
				idf[i]++
			}
		}
	}
	n := float64(len(m.chunks))
	for i, d := range idf {
		idf[i] = math.Log(1 + (n-d+.5)/(d+.5))
	}
	return idf
}

// alikePaths is the share of a path's words that another path has too.
func alikePaths(a, b *field, idf []float64) float64 {
	var shared, all float64
	for i, t := range a.terms {
		all += idf[i]
		if b.count(t) > 0 {
			shared += idf[i]
		}
	}
	if all == 0 {
		return 0
	}
	return shared / all
}

// scoreRefersTo follows the names that the open file uses to their definitions.
func (p *plan) scoreRefersTo(m *RepoMap, c *Chunk) {
	nearby := m.namesAround(c, p.query.Offset)
	var in []int
	for i, u := range c.rec.uses {
		in = in[:0]
		m.defining(u.Name, func(d *Chunk) { in = append(in, m.index[d.Path]) })
		if len(in) == 0 || len(in) > rareName {
			continue
		}
		w := math.Sqrt(float64(c.rec.times[i])) / float64(len(in))
		if nearby[u.Name] {
			w *= cursorUse
		}
		for _, d := range in {
			if _, imported := slices.BinarySearch(c.deps, m.chunks[d].Path); imported {
				p.signals[d][RefersTo] += importedUse * w
			} else {
				p.signals[d][RefersTo] += w
			}
		}
	}
}

// scoreReferredBy finds the files that use the names the open file defines.
func (p *plan) scoreReferredBy(m *RepoMap, c *Chunk) {
	var names []taskTerm
	weight := map[terms.Term]float64{}
	nearby := m.namesAround(c, p.query.Offset)
	for _, name := range c.rec.names {
		n := 0
		m.defining(name, func(*Chunk) { n++ })
		if n > rareName {
			continue
		}
		weight[name] = 1 / float64(n)
		if nearby[name] {
			weight[name] *= cursorUse
		}
		names = append(names, taskTerm{term: name})
	}
	filter := newTermFilter(names) // the record's names are sorted
	for i, o := range m.chunks {
		if o.Path == c.Path {
			continue
		}
		sum := 0.0
		for j, u := range o.rec.uses {
			if !filter.may(u.Name) {
				continue
			}
			sum += weight[u.Name] * math.Sqrt(float64(o.rec.times[j]))
		}
		if sum == 0 {
			continue
		}
		if _, imports := slices.BinarySearch(o.deps, c.Path); imports {
			sum *= importedUse
		}
		p.signals[i][ReferredBy] = sum
	}
}

// textAround returns the text of the innermost symbol around a position, "" if
// there is none.
func (m *RepoMap) textAround(c *Chunk, offset int) string {
	if offset < 0 {
		return ""
	}
	start, end := -1, -1
	for _, s := range c.Symbols() {
		if s.Range.Start <= offset && offset <= s.Range.End && (start < 0 || s.Range.Len() < end-start) {
			start, end = s.Range.Start, s.Range.End
		}
	}
	text, err := m.Read(c.Path)
	if err != nil || start < 0 || end > len(text) || HashOf(text) != c.Hash {
		return ""
	}
	return text[start:end]
}

// namesAround returns the names in the innermost symbol around a position.
func (m *RepoMap) namesAround(c *Chunk, offset int) map[terms.Term]bool {
	names := map[terms.Term]bool{}
	for name := range strings.FieldsFuncSeq(m.textAround(c, offset), func(r rune) bool { return !isNameRune(r) }) {
		names[terms.Name(name)] = true
	}
	return names
}

// termsAround returns the words there.
func (m *RepoMap) termsAround(c *Chunk, offset int) map[term]bool {
	words := map[term]bool{}
	terms.Scan(m.textAround(c, offset), func(t term, _ int) { words[t] = true })
	return words
}

func isNameRune(r rune) bool {
	return r == '_' || r == '$' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r > 127
}

// similarTerms is how many of the open file's telling words the others are
// searched for.
const similarTerms = 60

// scoreSimilar compares the words of the files with the most telling ones of the
// open file, those around the cursor before others.
func (p *plan) scoreSimilar(m *RepoMap, at int) {
	v := &m.chunks[at].rec.vector
	own := make([]taskTerm, v.n)
	around := m.termsAround(m.chunks[at], p.query.Offset)
	for i := range own {
		own[i] = taskTerm{term: v.at(i), weight: 1 + math.Log(float64(v.frequency(i)))}
		if around[own[i].term] {
			own[i].weight *= cursorUse
		}
	}
	var h fieldHits
	h.find(m, newTermFilter(own), len(own))
	telling := h.telling(own)
	for i, c := range m.chunks {
		if i == at {
			continue
		}
		for _, x := range h.of(i) {
			if telling[x.term] {
				p.signals[i][Similar] += own[x.term].weight * bm25(h.idf[x.term], float64(x.n), float64(c.rec.vector.length), h.mean)
			}
		}
	}
}

// telling marks the similarTerms of a file's words that tell most. Words of no other
// file are none of them.
func (h *fieldHits) telling(own []taskTerm) []bool {
	var order []int32
	for i := range own {
		if h.df[i] > 1 {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(own[b].weight*h.idf[b], own[a].weight*h.idf[a]), cmp.Compare(a, b))
	})
	marks := make([]bool, len(own))
	for _, i := range order[:min(similarTerms, len(order))] {
		marks[i] = true
	}
	return marks
}
