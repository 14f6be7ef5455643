// Package overlap finds entries that say the same.
//
//	text → statements (sentences and list items) → words, each with its kind and rarity
//	an entry → candidates: those that share its rarest words
//	two entries → what they have in common and what sets them apart → a probability
//
// Two people who write down the same thing use other words and other order, but the same names,
// numbers and files. Two entries that follow one template have nearly all words in common, and
// differ in just these. So words and telling tokens (names, numbers, files, and words that turn
// a meaning round) are compared apart, and statements that correspond are looked at for what
// stands in the same place: what one has instead of the other's.
package overlap

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree"
)

// Limits of what is compared.
const (
	maxStatements = 80  // of an entry: some 1,200 words; what follows is compared as words only
	maxCandidates = 8   // entries that one is compared with
	maxShared     = 400 // entries that have a term by which candidates are found
)

// Index knows the words of all entries of a tree. It is immutable.
type Index struct {
	profiles []*profile
	byPath   map[string]int
	ids      map[string]uint32
	names    []string
	seen     []int32   // by term: the number of entries that have it
	postings [][]int32 // by term: those entries; nil if too many
}

// New reads the entries; what they hold of credentials is not compared.
func New(entries []*tree.Entry) *Index {
	x := &Index{byPath: map[string]int{}, ids: map[string]uint32{}}
	r := newReader(x)
	defer r.close()
	for _, e := range entries {
		if e.Role != tree.RoleEntry {
			continue
		}
		x.byPath[e.Path] = len(x.profiles)
		x.profiles = append(x.profiles, r.read(e))
	}
	x.seen = make([]int32, len(x.ids))
	for _, p := range x.profiles {
		for _, t := range p.terms {
			x.seen[t.id]++
		}
	}
	for _, p := range x.profiles {
		for _, t := range p.terms {
			w := x.rarity(t.id)
			p.norm += w * w
		}
	}
	x.postings = make([][]int32, len(x.ids))
	for i, p := range x.profiles {
		for _, t := range p.terms {
			if x.seen[t.id] <= maxShared {
				x.postings[t.id] = append(x.postings[t.id], int32(i))
			}
		}
	}
	return x
}

// rarity is the inverse document frequency of a term, at least 0.
func (x *Index) rarity(id uint32) float64 {
	return math.Log(float64(len(x.profiles)+1) / (float64(x.seen[id]) + 0.5))
}

// Pair are two entries with the probability that they say the same.
type Pair struct {
	A, B     string   // paths
	Same     float64  // that they say the same
	Akin     float64  // 0–1: how much they have in common that few others have
	Common   []string // the rarest words that both have
	Features Features
}

// Why says for people what the pair has in common.
func (p Pair) Why() string {
	if len(p.Common) == 0 {
		return "overlapping content"
	}
	return "overlapping content about " + strings.Join(p.Common, ", ")
}

// Near compares an entry with those that share its rarest words, the most alike first.
func (x *Index) Near(path string) []Pair {
	i, ok := x.byPath[path]
	if !ok {
		return nil
	}
	var out []Pair
	for _, j := range x.candidates(i) {
		out = append(out, x.pair(i, j))
	}
	slices.SortStableFunc(out, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(b.Same, a.Same), cmp.Compare(a.B, b.B))
	})
	return out
}

// Compare compares two entries of the index.
func (x *Index) Compare(a, b string) (p Pair, ok bool) {
	i, known := x.byPath[a]
	j, known2 := x.byPath[b]
	if !known || !known2 || i == j {
		return p, false
	}
	return x.pair(i, j), true
}

// pair compares two profiles.
func (x *Index) pair(i, j int) Pair {
	a, b := x.profiles[i], x.profiles[j]
	f := x.compare(a, b)
	p := Pair{A: a.path, B: b.path, Same: f.Same(), Features: f}
	var common []term
	weight := 0.0
	for _, t := range a.terms {
		if o, ok := slices.BinarySearchFunc(b.terms, t.id, func(t term, id uint32) int { return int(t.id) - int(id) }); ok {
			k := max(t.kind, b.terms[o].kind)
			if k == turning {
				continue
			}
			common = append(common, term{t.id, k})
			if r := x.rarity(t.id); r >= rare {
				if k.telling() {
					r *= 2
				}
				weight += r
			}
		}
	}
	p.Akin = weight / (weight + akinHalf)
	slices.SortStableFunc(common, func(s, t term) int {
		return cmp.Or(cmp.Compare(x.rarity(t.id), x.rarity(s.id)), cmp.Compare(s.id, t.id))
	})
	for _, t := range common[:min(len(common), 4)] {
		p.Common = append(p.Common, x.names[t.id])
	}
	return p
}

// rare is the rarity of a term that joins entries: one in e³ = 20 has it. akinHalf is the
// sum of rarities, telling ones twice, at which they are akin by half.
const (
	rare     = 3.0
	akinHalf = 25.0
)

// candidates are the entries that share most of an entry's rare words, by the cosine of
// the words' squared rarity.
func (x *Index) candidates(of int) []int {
	weight := map[int]float64{}
	for _, t := range x.profiles[of].terms {
		w := x.rarity(t.id)
		for _, j := range x.postings[t.id] {
			if int(j) != of {
				weight[int(j)] += w * w
			}
		}
	}
	best := make([]int, 0, len(weight))
	for j := range weight {
		weight[j] /= math.Sqrt(x.profiles[j].norm + 1)
		best = append(best, j)
	}
	slices.SortFunc(best, func(a, b int) int {
		return cmp.Or(cmp.Compare(weight[b], weight[a]), cmp.Compare(a, b))
	})
	return best[:min(len(best), maxCandidates)]
}
