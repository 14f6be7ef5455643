package main

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/bench/process"
)

// The yardstick is a ranking that one would write in an afternoon: BM25F over three fields, in memory, with
// nothing but lower case and a few stop words. It shows how much the project's ranking adds, and at what
// cost.
const (
	fieldCount = 3 // title, path, text

	saturation    = 1.2  // k1 of BM25 (Robertson and Zaragoza 2009)
	normalisation = 0.75 // b of BM25
)

// fieldWeights count a title three times, as the reference system does.
var fieldWeights = [fieldCount]float64{3, 1, 1}

// stopWords are left out of documents and questions.
var stopWords = func() map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(
		"a an and are as at be by can do does did for from had has have how i if in is it its my not of on or " +
			"that the their this to was we were what when where which who why will with you your") {
		out[w] = true
	}
	return out
}()

// yardstick is an index over one set.
type yardstick struct {
	set      *dataset
	postings map[string][]posting
	lengths  [][fieldCount]float64 // in words, of each document
	means    [fieldCount]float64
	scores   []float64 // of each document, 0 between questions
}

// posting is one document with a term, and how often each field has it.
type posting struct {
	doc    int32
	counts [fieldCount]uint16
}

func newYardstick(set *dataset) *yardstick {
	y := &yardstick{set: set, postings: map[string][]posting{}, lengths: make([][fieldCount]float64, len(set.docs)),
		scores: make([]float64, len(set.docs))}
	for i, d := range set.docs {
		for field, text := range [fieldCount]string{d.Title, d.Path, d.Text} {
			for w := range wordsOf(text) {
				list := y.postings[w]
				if n := len(list); n == 0 || list[n-1].doc != int32(i) {
					list = append(list, posting{doc: int32(i)})
				}
				if c := &list[len(list)-1].counts[field]; *c < math.MaxUint16 {
					*c++
				}
				y.postings[w] = list
				y.lengths[i][field]++
			}
			y.means[field] += y.lengths[i][field] / float64(len(set.docs))
		}
	}
	return y
}

// wordsOf are the words of a text: runs of letters and digits, in lower case.
func wordsOf(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if w = strings.ToLower(w); !stopWords[w] && !yield(w) {
				return
			}
		}
	}
}

// search ranks the documents of a scope for a question.
func (y *yardstick) search(q question) []ranked {
	var touched []int32
	seen := map[string]bool{}
	for w := range wordsOf(q.Text) {
		if seen[w] {
			continue
		}
		seen[w] = true
		list := y.postings[w]
		n := float64(len(list))
		idf := math.Log(1 + (float64(len(y.set.docs))-n+0.5)/(n+0.5))
		for _, p := range list {
			if q.Scope != "" && y.set.docs[p.doc].Scope != q.Scope {
				continue
			}
			tf := 0.0
			for f, c := range p.counts {
				if c > 0 {
					tf += fieldWeights[f] * float64(c) / (1 - normalisation + normalisation*y.lengths[p.doc][f]/y.means[f])
				}
			}
			if y.scores[p.doc] == 0 {
				touched = append(touched, p.doc)
			}
			y.scores[p.doc] += idf * tf / (saturation + tf)
		}
	}
	return y.best(touched)
}

// best are the first documents by score, then by their place in the set.
func (y *yardstick) best(touched []int32) []ranked {
	var top []int32
	before := func(a, b int32) int { return cmp.Or(cmp.Compare(y.scores[b], y.scores[a]), cmp.Compare(a, b)) }
	for _, d := range touched {
		if len(top) == depth && before(top[depth-1], d) < 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, d, before)
		top = slices.Insert(top, at, d)
		top = top[:min(depth, len(top))]
	}
	out := make([]ranked, 0, len(top))
	for _, d := range top {
		out = append(out, ranked{y.set.docs[d].ID, y.scores[d]})
	}
	for _, d := range touched {
		y.scores[d] = 0
	}
	return out
}

// measureYardstick measures the yardstick on a set.
func measureYardstick(set *dataset) findings {
	found := findings{engine: engineYardstick}
	before := heap()
	resetPeak()
	var y *yardstick
	found.costs.Index, _ = process.Timed(func() error { y = newYardstick(set); return nil })
	found.costs.HeapMB = heap() - before
	for _, text := range warmUp(set) {
		y.search(question{Text: text})
	}
	for _, p := range set.passes() {
		out := make([]outcome, len(p.questions))
		for i, q := range p.questions {
			out[i].id = q.ID
			out[i].searched, _ = process.Timed(func() error { out[i].hits = y.search(q); return nil })
			out[i].refused = len(out[i].hits) == 0
		}
		found.passes = append(found.passes, out)
	}
	found.costs.RSSPeakMB = peak()
	return found
}
