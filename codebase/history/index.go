package history

import (
	"math"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// BM25 over messages: constants of own measurements on SWE-bench Lite and on commits
// of 18 repositories.
const (
	bm25K1 = 2.0
	bm25B  = 0.5
)

// index finds commits by term and by file. It is made once, when first needed: some
// tens of milliseconds and 8 bytes a term for 40,000 commits.
type index struct {
	vocabulary []terms.Term // ascending
	termEnd    []uint32     // postings of vocabulary[i]: termEnd[i-1] to termEnd[i]
	commits    []uint32     // ascending for each term
	impacts    []float32    // the term's BM25 part in that commit, without its rarity

	ids        map[string]uint32 // of paths
	fileEnd    []uint32          // commits of file i
	ofFile     []uint32
	lastChange []int64 // seconds since 1970, by file
}

func (h *History) index() *index {
	h.once.Do(func() {
		x := &index{}
		x.addTerms(&h.commits)
		x.addFiles(&h.commits, len(h.paths))
		x.ids = make(map[string]uint32, len(h.paths))
		for i, path := range h.paths {
			x.ids[path] = uint32(i)
		}
		h.idx = x
	})
	return h.idx
}

func (x *index) addTerms(c *columns) {
	x.vocabulary = slices.Clone(c.terms)
	slices.Sort(x.vocabulary)
	x.vocabulary = slices.Clone(slices.Compact(x.vocabulary))
	number := make(map[terms.Term]uint32, len(x.vocabulary))
	for i, t := range x.vocabulary {
		number[t] = uint32(i)
	}
	places := make([]uint32, len(c.terms)) // of each term in the vocabulary
	x.termEnd = make([]uint32, len(x.vocabulary))
	for i, t := range c.terms {
		places[i] = number[t]
		x.termEnd[places[i]]++
	}
	next := starts(x.termEnd)
	x.commits = make([]uint32, len(c.terms))
	x.impacts = make([]float32, len(c.terms))
	norms := c.norms()
	for i := range c.times {
		from, to := span(c.termEnd, i)
		for k := from; k < to; k++ {
			at := next[places[k]]
			next[places[k]]++
			tf := float64(c.counts[k])
			x.commits[at] = uint32(i)
			x.impacts[at] = float32(tf * (bm25K1 + 1) / (tf + norms[i]))
		}
	}
}

// norms returns, for each commit, what BM25 adds to a term's count below the line:
// long messages count less.
func (c *columns) norms() []float64 {
	norms := make([]float64, len(c.times))
	total := 0.0
	for i := range norms {
		_, counts := c.termsOf(i)
		for _, n := range counts {
			norms[i] += float64(n)
		}
		total += norms[i]
	}
	mean := total / math.Max(1, float64(len(norms)))
	for i, length := range norms {
		norms[i] = bm25K1 * (1 - bm25B + bm25B*length/math.Max(1, mean))
	}
	return norms
}

func (x *index) addFiles(c *columns, files int) {
	x.fileEnd = make([]uint32, files)
	x.lastChange = make([]int64, files)
	for _, id := range c.files {
		x.fileEnd[id]++
	}
	next := starts(x.fileEnd)
	x.ofFile = make([]uint32, len(c.files))
	for i := range c.times {
		for _, id := range c.filesOf(i) {
			x.ofFile[next[id]] = uint32(i)
			next[id]++
			x.lastChange[id] = max(x.lastChange[id], c.times[i])
		}
	}
}

// starts turns counts into ends, and returns the start of each run.
func starts(counts []uint32) []uint32 {
	begin := make([]uint32, len(counts))
	sum := uint32(0)
	for i, n := range counts {
		begin[i] = sum
		sum += n
		counts[i] = sum
	}
	return begin
}
