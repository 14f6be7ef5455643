// Package overlap finds entries that say the same.
//
//	text → statements (sentences and list items) → terms, each with its kind and rarity
//	an entry → candidates: those that share its rarest terms
//	two entries → what they have in common and what sets them apart → a probability
//
// Two people who write down the same thing use other words and other order, but the same names,
// numbers and files. Two entries that follow one template have nearly all words in common, and
// differ in just these. So words and telling terms (names, numbers, files, and words that turn
// a meaning round) are compared apart, and statements that correspond are looked at for what
// stands in the same place: what one has instead of the other's. And each of two that say the
// same is by far the nearest to the other, while the pages of a template crowd.
//
// What this cannot do: an entry reworded without any name or number of the other is not found,
// nor one in another language. Two short entries on the same five names that say different
// things of them are taken for the same, as are two that differ in a single "not". So nothing is
// merged unless somebody approves.
package overlap

import (
	"cmp"
	"context"
	"hash/maphash"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Limits of what is compared.
const (
	maxStatements = 80  // of an entry: some 1,200 words; what follows is compared as terms only
	maxCandidates = 8   // entries that one is compared with
	maxShared     = 400 // entries that have a term by which candidates are found: what 401 entries all say finds nothing
	maxRarest     = 64  // terms by which candidates are found
)

// Index knows the words of all entries of a tree. It is immutable, and of use to several
// goroutines at once; what it computes once, such as the neighbours of an entry, it keeps.
type Index struct {
	profiles []*profile
	byPath   map[string]int
	ids      map[string]uint32
	names    []string
	rarities []float32                     // by term
	postings [][]int32                     // by term: the entries that have it; nil if too many
	saying   map[uint64]int                // how many entries say just that
	scratch  sync.Pool                     // of *scores
	nearest  []atomic.Pointer[[]neighbour] // by entry; nil if nobody asked

	rewordedPairs sync.Map // by pair of entries, the lesser number first: what [Index.reworded] says
}

// Read reads the entries; what they hold of credentials is not compared. It ends with ctx.
func Read(ctx context.Context, entries []*format.Entry) (*Index, error) {
	x := &Index{byPath: map[string]int{}, ids: map[string]uint32{}, saying: map[uint64]int{}}
	r := &reader{ids: x.id, words: words.Borrow()}
	defer r.words.Return()
	var kindsOf []kind
	var seen []int32
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if e.Role != format.RoleEntry {
			continue
		}
		x.byPath[e.Path] = len(x.profiles)
		p := r.profile(e.Redacted())
		x.profiles = append(x.profiles, p)
		x.saying[p.bodyHash]++
		seen = append(seen, make([]int32, len(x.ids)-len(seen))...)
		kindsOf = append(kindsOf, make([]kind, len(x.ids)-len(kindsOf))...)
		for _, t := range p.terms {
			seen[t.id()]++
			kindsOf[t.id()] = max(kindsOf[t.id()], t.kind())
		}
	}
	x.rarities = make([]float32, len(seen))
	for id, n := range seen {
		x.rarities[id] = rarity(int(n), len(x.profiles), x.names[id], kindsOf[id])
	}
	x.postings = make([][]int32, len(seen))
	for i, p := range x.profiles {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, t := range p.terms {
			w := x.rarities[t.id()]
			p.norm += w * w
			if n := seen[t.id()]; n <= maxShared && n > 1 && t.kind() != turning {
				if x.postings[t.id()] == nil {
					x.postings[t.id()] = make([]int32, 0, n)
				}
				x.postings[t.id()] = append(x.postings[t.id()], int32(i))
			}
		}
	}
	x.scratch.New = func() any { return &scores{of: make([]float32, len(x.profiles))} }
	x.nearest = make([]atomic.Pointer[[]neighbour], len(x.profiles))
	return x, nil
}

// neighbour is an entry near to another.
type neighbour struct {
	entry int
	like  float64
}

// neighbours are the candidates of an entry, the nearest first.
func (x *Index) neighbours(i int) []neighbour {
	if n := x.nearest[i].Load(); n != nil {
		return *n
	}
	var out []neighbour
	for _, j := range x.candidates(i) {
		out = append(out, neighbour{j, x.like(i, j)})
	}
	slices.SortFunc(out, func(a, b neighbour) int { return cmp.Or(cmp.Compare(b.like, a.like), cmp.Compare(a.entry, b.entry)) })
	x.nearest[i].Store(&out)
	return out
}

// like is the share of the rarity of all that two entries say that both say.
func (x *Index) like(i, j int) float64 {
	terms := x.split(x.profiles[i].terms, x.profiles[j].terms, nil)
	return terms.likeness()
}

// copies reports whether two entries say the same in the same words, one perhaps some more. Of
// two pages of a template each has a word that the other has not.
func (x *Index) copies(i, j int) bool {
	terms := x.split(x.profiles[i].terms, x.profiles[j].terms, nil)
	all := terms.all()
	return all.jaccard(0) >= copied && min(all.a, all.b) < oneWord
}

// Others are no crowd that are less than half as near to one of two entries as the two are to
// each other, and are a full one at four fifths: with 1 instead, an eighth more pairs of documents
// are proposed (own measurement, bench/dream -fit). Nor is one that is a copy of both: three copies
// merge two by two. (copied is an estimate; among the documents it changes nothing, and at 0.8 too the
// pages of testdata/family are told apart.)
//
// Nor are one or two that are rewordings of both: three or four people who wrote down one thing. They
// are told from pages of one template by how far they are siblings (see [Features]): 0.25 at most in
// testdata/rewordings, 0.65 in testdata/family. Of pages of documents that say nearly the same three
// by three, half lie above template.
const (
	crowded     = 0.5
	full        = 0.8
	copied      = 0.85
	template    = 0.3
	maxTogether = 2
)

// crowd compares the nearest other neighbour of two entries with how near the two are to each other. Two
// entries that say the same are by far each other's nearest; a page from a template has many neighbours that
// are as near. Neighbours for which passes returns true do not count.
func (x *Index) crowd(i, j int, like float64, passes func(n int) bool) float64 {
	most := 0.0
	for _, of := range [][2]int{{i, j}, {j, i}} {
		for _, n := range x.neighbours(of[0]) {
			if n.entry == of[1] || n.like >= copied && x.copies(i, j) && x.copies(i, n.entry) && x.copies(j, n.entry) || passes(n.entry) {
				continue
			}
			most = max(most, n.like)
			break
		}
	}
	if like <= 0 {
		return 1
	}
	return min(1, max(0, most/like-crowded)/(full-crowded))
}

// crowds measures how others crowd two entries, if they are no rewordings of both. f are the features
// that are known of them so far.
func (x *Index) crowds(i, j int, like float64, f Features) float64 {
	i, j = min(i, j), max(i, j) // the same whoever asks
	all := x.crowd(i, j, like, func(int) bool { return false })
	if all == 0 {
		return all
	}
	passed := map[int]bool{}
	f.Crowd = x.crowd(i, j, like, func(n int) bool {
		if !passed[n] && len(passed) < maxTogether {
			passed[n] = true
		}
		return passed[n]
	})
	if f.Same() < Merge { // whoever the others are
		return all
	}
	others := x.rewordings(i, j)
	if len(others) == 0 {
		return all
	}
	return x.crowd(i, j, like, func(n int) bool { return slices.Contains(others, n) })
}

// rewordings returns the other entries that are rewordings of both i and j, which are rewordings of each
// other: the same thing written by several people in their own words.
func (x *Index) rewordings(i, j int) (out []int) {
	if !x.reworded(i, j) {
		return nil
	}
	for _, n := range x.neighbours(i) {
		if n.entry != j && x.reworded(i, n.entry) && x.reworded(j, n.entry) {
			out = append(out, n.entry)
		}
	}
	if len(out) > maxTogether {
		return nil
	}
	return out
}

// reworded reports whether two entries say the same by all but what others there are, in other words
// and not by one template.
func (x *Index) reworded(i, j int) bool {
	key := [2]int{min(i, j), max(i, j)}
	if v, ok := x.rewordedPairs.Load(key); ok {
		return v.(bool)
	}
	terms := x.split(x.profiles[key[0]].terms, x.profiles[key[1]].terms, nil)
	p := Pair{Features: terms.features()}
	is := terms.likeness() < copied && p.Features.Same() >= Merge && x.sibling(key[0], key[1], p.Features.Copy) <= template
	if is {
		var d *detail
		x.closely(&p, key[0], key[1], &d)
		is = p.Same >= Merge
	}
	x.rewordedPairs.Store(key, is)
	return is
}

// sibling is how far two entries are pages of one template; see [Features].
func (x *Index) sibling(i, j int, copied float64) float64 {
	titles := x.split(x.title(x.profiles[i]), x.title(x.profiles[j]), nil)
	return copied * titles.apart()
}

// title reads an entry's title.
func (x *Index) title(p *profile) []term {
	r := &reader{ids: x.known, words: words.Borrow()}
	defer r.words.Return()
	return r.terms(p.entry.Title)
}

// profile reads an entry.
func (r *reader) profile(e *format.Entry) *profile {
	said := r.entry(e)
	return &profile{entry: e, terms: slices.Clone(distinct(r.buf)), bodyHash: sayingOf(said, e.Reason())}
}

// leastSaid is the fewest bytes that two bodies must have in common to count as the same text, whatever their
// titles: the body of an empty page has one line. mostSaid is the most entries that may share a text; more
// than that share a page from a template. (Estimates.)
const (
	leastSaid = 100
	mostSaid  = 4
)

// identical is the probability that two entries with the same statements, word for word, say the same (an
// estimate). Their titles may still name different subjects, so the merge waits for a person.
const identical = 0.95

var saidSeed = maphash.MakeSeed()

// sayingOf is the hash of statements, but for those of the reason; 0 if they say little.
func sayingOf(said []string, reason string) uint64 {
	var h maphash.Hash
	h.SetSeed(saidSeed)
	why, n := Statements(reason), 0
	for _, s := range trimmed(said) {
		if !slices.Contains(why, s) {
			h.WriteString(s + "\n")
			n += len(s)
		}
	}
	if n < leastSaid {
		return 0
	}
	return h.Sum64()
}

// identical reports whether the bodies of two entries, and of few others, say the same word for word.
func (x *Index) identical(a, b *profile) bool {
	return a.bodyHash != 0 && a.bodyHash == b.bodyHash && x.saying[a.bodyHash] <= mostSaid
}

// entry reads all terms of an entry into the buffer, and returns the statements of its body.
func (r *reader) entry(e *format.Entry) (said []string) {
	r.buf = r.buf[:0]
	r.add(e.Title)
	r.add(e.Summary)
	for s := range strings.Lines(e.Terms(false)) {
		r.add(s)
	}
	said, headings := statements(e.Body.Of(e.Text))
	for _, s := range headings {
		r.add(s)
	}
	for _, s := range said {
		r.add(s)
	}
	return said
}

// detail reads an entry closely.
func (x *Index) detail(p *profile) *detail {
	r := &reader{ids: x.known, words: words.Borrow()}
	defer r.words.Return()
	e := p.entry
	d := &detail{title: r.terms(e.Title)}
	said, _ := statements(e.Body.Of(e.Text))
	if e.Summary != "" {
		said = append([]string{e.Summary}, said...)
	}
	for _, s := range said[:min(len(said), maxStatements)] {
		if ts := r.terms(s); len(ts) > 0 {
			d.statements = append(d.statements, ts)
		}
	}
	return d
}

func (x *Index) id(s string) (uint32, bool) {
	id, ok := x.ids[s]
	if !ok {
		id = uint32(len(x.ids))
		s = strings.Clone(s)
		x.ids[s], x.names = id, append(x.names, s)
	}
	return id, true
}

func (x *Index) known(s string) (uint32, bool) {
	id, ok := x.ids[s]
	return id, ok
}

// A tree of ten entries does not show which words are rare. So its terms are counted as if
// priorEntries more were there, that have each term as often as texts of priorWords words
// have it in general. (Estimates; in a tree of thousands they change nothing.)
const (
	priorEntries = 50
	priorWords   = 150
)

// priorOf is the share of entries that have a term, by kind; of words it follows from their
// frequency.
var priorOf = [kinds]float64{turning: 0.5, name: 0.004, quantity: 0.03, file: 0.004}

// rarity is the inverse document frequency of a term, at least 0.
func rarity(seen, of int, term string, k kind) float32 {
	prior := priorOf[k]
	if k == plain || k == proper {
		prior = 1 - math.Exp(-priorWords*words.Frequency(term))
	}
	return float32(max(0, math.Log((float64(of)+priorEntries)/(float64(seen)-0.5+priorEntries*prior))))
}

// Pair are two entries with the probability that they say the same.
type Pair struct {
	A, B     string   // paths
	Same     float64  // that they say the same
	Akin     float64  // 0–1: how much they have in common that few others have
	Common   []string // the rarest words that both have, if they are akin or may say the same
	Features Features

	common []worth
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
	var d *detail
	for _, j := range x.candidates(i) {
		out = append(out, x.pair(i, j, &d, false))
	}
	x.write(x.profiles[i], out)
	slices.SortStableFunc(out, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(b.Same, a.Same), cmp.Compare(a.B, b.B))
	})
	return out
}

// Compare compares two entries of the index closely, however little they have in common.
func (x *Index) Compare(a, b string) (p Pair, ok bool) {
	i, known := x.byPath[a]
	j, known2 := x.byPath[b]
	if !known || !known2 || i == j {
		return p, false
	}
	var d *detail
	pairs := []Pair{x.pair(i, j, &d, true)}
	x.write(x.profiles[i], pairs)
	return pairs[0], true
}

// pair compares two entries. It compares them closely if they may say the same, or if anyway is set. first
// caches the detail of the first entry between calls.
func (x *Index) pair(i, j int, first **detail, anyway bool) Pair {
	a, b := x.profiles[i], x.profiles[j]
	p := Pair{A: a.entry.Path, B: b.entry.Path}
	var rarest []worth
	kin := 0.0
	terms := x.split(a.terms, b.terms, func(t term) {
		if t.kind() == turning {
			return
		}
		r := float64(x.rarities[t.id()])
		w := r
		if t.kind().telling() {
			w *= 2
		}
		if r >= rare {
			kin += w
		}
		if t.kind() == quantity {
			w = r // a number alone tells people little
		}
		rarest = rarer(rarest, worth{t.id(), w, len(x.names[t.id()])})
	})
	p.Akin = kin / (kin + akinHalf*float64(rarity(2, len(x.profiles), "", name)))
	p.Features = terms.features()
	if p.Same = p.Features.Same(); p.Same >= unlikely || anyway {
		p.Features.Crowd = x.crowds(i, j, terms.likeness(), p.Features)
		p.Same = p.Features.Same()
	}
	if p.Same >= unlikely || anyway {
		x.closely(&p, i, j, first)
	}
	if x.identical(a, b) {
		p.Same = max(p.Same, identical)
	}
	if p.Same >= Maybe || p.Akin >= Related || anyway {
		p.common = rarest
	}
	return p
}

// closely compares two entries by what they say where.
func (x *Index) closely(p *Pair, i, j int, first **detail) {
	a, b := x.profiles[i], x.profiles[j]
	if *first == nil {
		*first = x.detail(a)
	}
	c, d := *first, x.detail(b)
	if i > j { // the same whoever asks
		a, b, c, d = b, a, d, c
	}
	x.compare(&p.Features, a, b, c, d)
	p.Same = p.Features.Same()
}

// write fills in what pairs of an entry have in common, as the entry writes it, without what is
// part of something else.
func (x *Index) write(p *profile, pairs []Pair) {
	r := &reader{ids: x.known, surface: map[uint32]string{}}
	for _, pair := range pairs {
		for _, t := range pair.common {
			r.surface[t.id] = ""
		}
	}
	if len(r.surface) == 0 {
		return
	}
	r.words = words.Borrow()
	defer r.words.Return()
	r.entry(p.entry)
	for i := range pairs {
		var out []string
		for _, t := range pairs[i].common {
			w := r.surface[t.id]
			if w != "" && !slices.ContainsFunc(out, func(o string) bool { return strings.Contains(o, w) }) {
				out = append(slices.DeleteFunc(out, func(o string) bool { return strings.Contains(w, o) }), w)
			}
		}
		pairs[i].Common, pairs[i].common = out, nil
	}
}

// maxCommon is the number of terms that a pair shows.
const maxCommon = 4

// worth is a term and what it is worth to be shown; of two that are worth the same the longer
// one tells more.
type worth struct {
	id     uint32
	is     float64
	length int
}

func (t worth) less(o worth) bool { return t.is < o.is || t.is == o.is && t.length < o.length }

// rarer adds a term to those that are worth most.
func rarer(terms []worth, t worth) []worth {
	at := len(terms)
	for at > 0 && terms[at-1].less(t) {
		at--
	}
	if at == maxCommon {
		return terms
	}
	terms = slices.Insert(terms, at, t)
	return terms[:min(len(terms), maxCommon)]
}

// rare is the rarity of a term that joins entries: one in e³ = 20 has it. Two entries are akin
// by half if they have akinHalf times the rarity of a name in common that none but they have,
// telling terms counting twice: three such names, or six such words.
const (
	rare     = 3.0
	akinHalf = 6.0
)

// scores are the weights of candidates by entry, all 0 between uses.
type scores struct {
	of   []float32
	seen []int32
	best []term
}

// candidates are the entries that share most of an entry's rare terms, by the cosine of
// their rarity.
func (x *Index) candidates(of int) []int {
	s := x.scratch.Get().(*scores)
	defer x.scratch.Put(s)
	p := x.profiles[of]
	s.best = s.best[:0]
	for _, t := range p.terms {
		if x.postings[t.id()] != nil && x.rarities[t.id()] > 0 {
			s.best = append(s.best, t)
		}
	}
	if len(s.best) > maxRarest {
		slices.SortFunc(s.best, func(a, b term) int {
			return cmp.Or(cmp.Compare(x.rarities[b.id()], x.rarities[a.id()]), cmp.Compare(a, b))
		})
		s.best = s.best[:maxRarest]
	}
	s.seen = s.seen[:0]
	for _, t := range s.best {
		w := x.rarities[t.id()]
		for _, j := range x.postings[t.id()] {
			if s.of[j] == 0 {
				s.seen = append(s.seen, j)
			}
			s.of[j] += w * w
		}
	}
	top := make([]int, 0, maxCandidates+1)
	weight := func(j int) float32 { return s.of[j] / float32(math.Sqrt(float64(x.profiles[j].norm+1))) }
	for _, j := range s.seen {
		if int(j) == of {
			continue
		}
		w := weight(int(j))
		if len(top) == maxCandidates && w <= weight(top[len(top)-1]) {
			continue
		}
		at := len(top)
		for at > 0 && weight(top[at-1]) < w {
			at--
		}
		top = slices.Insert(top, at, int(j))
		top = top[:min(len(top), maxCandidates)]
	}
	for _, j := range s.seen {
		s.of[j] = 0
	}
	return top
}
