// Command fit fits the constants of retrieval's domain.go and calibrate.go, and shows what
// they do to sets that they were not fitted on.
//
//	go run ./bench/retrieval/fit -data DIR [-tree .brv/context-tree]
//
// DIR holds one folder per set with docs.jsonl.gz, queries.jsonl and qrels.tsv, and
// ood-queries. Every query of every set is asked in the whole set, in its scope where
// it has one, and in pieces of the set of a few entries, as real trees are; so are the
// foreign ones: those of ood-queries, those of every set of another family, and the everyday questions of everyday.txt. What
// the search says of itself (Result.Evidence, Hit.Sure) is all that is fitted on: logistic
// regressions, every sample counted alike. Printed are the weights, rounded as they stand
// in the code, and for every sample what the code does now beside what it would do with
// weights from all families but the sample's own.
package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/bench/corpus"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

func main() {
	data := flag.String("data", "", "`folder` of the data sets")
	own := flag.String("tree", ".brv/context-tree", "`folder` of the project's own tree, which own.tsv asks")
	examples := flag.String("examples", "", "show the wrong verdicts on a `sample`, such as cosqa/whole")
	flag.Parse()
	if *data == "" {
		fmt.Fprintln(os.Stderr, "fit: -data is missing")
		os.Exit(2)
	}
	if err := run(*data, *own, *examples); err != nil {
		fmt.Fprintln(os.Stderr, "fit:", err)
		os.Exit(1)
	}
}

func run(data, own, examples string) error {
	foreign, err := readForeign(filepath.Join(data, "ood-queries", "queries.jsonl"))
	if err != nil {
		return err
	}
	var all cases
	sets := map[string]*dataset{}
	for _, name := range setNames {
		if sets[name], err = readSet(filepath.Join(data, name)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, name := range setNames {
		if err := all.askSet(name, sets, foreign); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintln(os.Stderr, name, "asked")
	}
	if err := all.askOwn(own, foreign); err != nil {
		return err
	}
	all.report(os.Stdout, examples)
	return nil
}

// sizes are the numbers of entries of the pieces, and pieces how many of each size a
// set is asked in, each with so many questions at most.
var sizes = []int{1, 2, 3, 5, 15, 50, 200}

const (
	pieces       = 14
	pieceOwn     = 40
	pieceForeign = 60
	crossMost    = 100 // questions of one other set
)

// origin is where a query comes from.
type origin int

const (
	own      origin = iota // the set that is asked
	ood                    // ood-queries
	cross                  // a set of another family
	everyday               // everyday.txt
)

// one is a query with what the search said of it.
type one struct {
	sample string // "cosqa/whole", "locomo-facts/scoped", "win32-24k/50": what counts alike
	family string // which is left out together
	text   string
	from   origin
	result retrieval.Result
	right  bool // the first hit is
	ndcg   float64
}

type cases []one

// askSet asks the queries of one set, and those that are foreign to it.
func (all *cases) askSet(name string, sets map[string]*dataset, foreign []question) error {
	set := sets[name]
	far := slices.DeleteFunc(slices.Clone(foreign), func(q question) bool { return q.Origin == origins[name] })
	r := rand.New(rand.NewPCG(1, 2))
	for _, other := range setNames {
		if origins[other] == origins[name] || other == "locomo-session" { // whose questions are those of locomo-facts
			continue
		}
		for _, q := range shuffled(r, sets[other].queries)[:min(crossMost, len(sets[other].queries))] {
			q.Origin = ""
			far = append(far, q)
		}
	}
	whole, err := index(set.docs, set.text)
	if err != nil {
		return err
	}
	defer whole.close()
	if err := all.ask(whole.search, name+"/whole", "", set.queries, far); err != nil {
		return err
	}
	for _, scope := range scopes(set.queries) {
		in := slices.DeleteFunc(slices.Clone(set.queries), func(q question) bool { return q.Scope != scope })
		if err := all.ask(whole.search, name+"/scoped", scope, in, far); err != nil {
			return err
		}
	}
	return all.askPieces(name, set, far)
}

// askPieces asks in pieces of a set: entries that stand side by side, with the
// queries that they answer.
func (all *cases) askPieces(name string, set *dataset, far []question) error {
	r := rand.New(rand.NewPCG(1, 2))
	docs := slices.SortedFunc(slices.Values(set.docs), func(a, b corpus.Entry) int { return strings.Compare(a.Path, b.Path) })
	for _, size := range sizes {
		for range pieces {
			about := set.queries[r.IntN(len(set.queries))]
			at := slices.IndexFunc(docs, func(d corpus.Entry) bool { return about.relevant[d.Path] })
			from := min(max(0, at-r.IntN(size)), max(0, len(docs)-size))
			piece := docs[from:min(len(docs), from+size)]
			inside := func(q question) bool {
				return slices.ContainsFunc(piece, func(d corpus.Entry) bool { return q.relevant[d.Path] })
			}
			var in []question
			for _, i := range r.Perm(len(set.queries)) {
				if q := set.queries[i]; len(in) < pieceOwn && inside(q) {
					in = append(in, q)
				}
			}
			x, err := index(piece, set.text)
			if err != nil {
				return err
			}
			some := shuffled(r, far)[:min(len(far), pieceForeign)]
			err = all.ask(x.search, fmt.Sprintf("%s/%d", name, size), "", in, some)
			x.close()
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func shuffled(r *rand.Rand, in []question) []question {
	out := slices.Clone(in)
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// askOwn asks the project's own tree.
func (all *cases) askOwn(dir string, foreign []question) error {
	set := &dataset{queries: ownQuestions()}
	err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(file, ".md") {
			return err
		}
		text, err := os.ReadFile(file)
		path := filepath.ToSlash(strings.TrimPrefix(file, dir+string(filepath.Separator)))
		set.docs = append(set.docs, corpus.Entry{ID: path, Path: path, Body: string(text)})
		return err
	})
	if err != nil {
		return err
	}
	set.text = func(d corpus.Entry) string { return d.Body }
	x, err := index(set.docs, set.text)
	if err != nil {
		return err
	}
	defer x.close()
	if err := all.ask(x.search, "own tree/whole", "", set.queries, foreign); err != nil {
		return err
	}
	return all.askPieces("own tree", set, foreign)
}

// ask asks an index its own and foreign queries.
func (all *cases) ask(search retrieval.Search, sample, scope string, mine, far []question) error {
	family, _, _ := strings.Cut(sample, "/")
	if name, ok := strings.CutPrefix(family, "locomo-"); ok {
		family = strings.TrimSuffix(family, "-"+name)
	}
	asked := slices.Concat(mine, far, everydayQuestions())
	for i, q := range asked {
		res, err := search(context.Background(), retrieval.Query{Text: q.Text, Scope: scope})
		if err != nil {
			return err
		}
		c := one{sample: sample, family: family, text: q.Text, from: own, result: res}
		switch {
		case i >= len(mine)+len(far):
			c.from = everyday
		case i >= len(mine) && q.Origin == "":
			c.from = cross
		case i >= len(mine):
			c.from = ood
		case len(res.Hits) > 0:
			c.right, c.ndcg = q.relevant[res.Hits[0].Path], gain(res.Hits, q.relevant)
		}
		*all = append(*all, c)
	}
	return nil
}

// gain is nDCG@10.
func gain(hits []retrieval.Hit, relevant map[string]bool) float64 {
	got, best := 0.0, 0.0
	for i := range 10 {
		worth := 1 / math.Log2(float64(i)+2)
		if i < len(hits) && relevant[hits[i].Path] {
			got += worth
		}
		if i < len(relevant) {
			best += worth
		}
	}
	return got / best
}

// opened is the search of a tree, and how to end it.
type opened struct {
	search retrieval.Search
	close  func() error
}

func index(docs []corpus.Entry, text func(corpus.Entry) string) (opened, error) {
	engine, err := retrieval.New(retrieval.Options{})
	if err != nil {
		return opened{}, err
	}
	entries := make([]*format.Entry, len(docs))
	for i, d := range docs {
		entries[i] = format.Parse(d.Path, text(d))
	}
	search, err := engine.Open(context.Background(), tree.NewSnapshot(entries, nil))
	return opened{search, engine.Close}, err
}
