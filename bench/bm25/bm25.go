// Package bm25 is a yardstick: textbook BM25 over whole files, with none of the project's
// code. It tells what everything else that the ranking knows is worth.
package bm25

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/codebase"
)

// The constants of BM25 (Robertson and Zaragoza 2009, section 3.5).
const (
	saturation    = 1.2  // k1
	normalisation = 0.75 // b
)

// stopWords are left out of queries: those that the project's ranking leaves out.
var stopWords = func() map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(`a about above after again all also am an and any are as at be because been before
	being below between both but by can cannot could did do does doing down during each few for from further had has have having
	he her here hers him his how however i if in into is it its itself just like me more most my no nor not now of off on once
	only or other our ours out over own please same she should so some such than that the their theirs them then there these
	they this those through to too under until up very want was we were what when where which while who whom why will with
	would you your yours fix bug add use using used one two make makes instead when via etc issue problem need needs`) {
		out[w] = true
	}
	return out
}()

// words are the lower-cased words of a text: the parts of each identifier, cut at
// underscores and where a capital begins a word, and the identifier itself if it has
// several. Parts of one byte are left out.
func words(text string) []string {
	var out []string
	for name := range strings.FieldsFuncSeq(text, func(r rune) bool { return !inName(r) }) {
		out = append(out, partsOf(name)...)
	}
	return out
}

func inName(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '$' }

func partsOf(name string) []string {
	var parts []string
	for piece := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '_' || r == '$' }) {
		parts = append(parts, humps(piece)...)
	}
	whole := ""
	for i, p := range parts {
		parts[i] = strings.ToLower(p)
		whole += parts[i]
	}
	if len(parts) > 1 {
		parts = append(parts, whole)
	}
	return slices.DeleteFunc(parts, func(p string) bool { return len(p) < 2 })
}

// humps cuts an identifier before each capital that follows no capital, and before the
// last one of a run that a small letter follows: parseHTTPServer, parse HTTP Server.
func humps(piece string) []string {
	var out []string
	all := []rune(piece)
	from := 0
	for i := 1; i < len(all); i++ {
		small := i+1 < len(all) && unicode.IsLower(all[i+1])
		if unicode.IsUpper(all[i]) && (!unicode.IsUpper(all[i-1]) || small) {
			out = append(out, string(all[from:i]))
			from = i
		}
	}
	return append(out, string(all[from:]))
}

// document is one file as a bag of words.
type document struct {
	path   string
	hash   string
	counts map[string]int
	length int
}

// Index is the index over the files of a map. The zero value has none.
type Index struct {
	documents []*document // by path
	mean      float64     // length
}

// Update indexes the files of a map, those that changed anew.
func (y *Index) Update(code *codebase.RepoMap) error {
	known := make(map[string]*document, len(y.documents))
	for _, d := range y.documents {
		known[d.path] = d
	}
	y.documents, y.mean = make([]*document, 0, len(code.Chunks())), 0
	for _, c := range code.Chunks() {
		d := known[c.Path]
		if d == nil || d.hash != c.Hash {
			text, err := code.Read(c.Path)
			if err != nil {
				return err
			}
			d = newDocument(c.Path, c.Hash, text)
		}
		y.documents = append(y.documents, d)
		y.mean += float64(d.length)
	}
	y.mean /= float64(max(1, len(y.documents)))
	return nil
}

func newDocument(path, hash, text string) *document {
	d := &document{path: path, hash: hash, counts: map[string]int{}}
	for _, w := range words(text) {
		d.counts[w]++
		d.length++
	}
	return d
}

// queryWords are the distinct words of a query without stop words, in order.
func queryWords(query string) []string {
	var out []string
	for name := range strings.FieldsFuncSeq(query, func(r rune) bool { return !inName(r) }) {
		if !stopWords[strings.ToLower(name)] {
			out = append(out, partsOf(name)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// scores rates the files for a query.
func (y *Index) scores(query string) []float64 {
	scores := make([]float64, len(y.documents))
	n := float64(len(y.documents))
	for _, w := range queryWords(query) {
		df := 0.0
		for _, d := range y.documents {
			if d.counts[w] > 0 {
				df++
			}
		}
		idf := math.Log(1 + (n-df+.5)/(df+.5))
		for i, d := range y.documents {
			if tf := float64(d.counts[w]); tf > 0 {
				scores[i] += idf * tf * (saturation + 1) / (tf + saturation*(1-normalisation+normalisation*float64(d.length)/y.mean))
			}
		}
	}
	return scores
}

// Rank orders the files that have a word of the query, best first, equal ones by path.
func (y *Index) Rank(query string) []string {
	scores := y.scores(query)
	var order []int
	for i, s := range scores {
		if s > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	out := make([]string, len(order))
	for at, i := range order {
		out[at] = y.documents[i].path
	}
	return out
}
