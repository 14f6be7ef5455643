// Command dream measures what a dream without a model finds: of entries that say the same, and
// of look-alikes that do not.
//
//	go run ./bench/dream -docs docs.jsonl.gz -pairs tune,measure    the figures
//	go run ./bench/dream -docs docs.jsonl.gz -pairs tune,measure -dreams   the same by real dreams, all merges approved
//	go run ./bench/dream -docs a.jsonl.gz,b.jsonl.gz -fit           weights for package overlap
//	go run ./bench/dream -docs docs.jsonl.gz -entries 10000 -speed  what looking for them costs
//
// The pairs are in testdata, written for this by hand: 50 pairs that say the same and 50 look-alikes, in two
// sets. Package overlap was developed on the set "tune"; "measure" was kept apart until the end. They are
// planted into a tree of -entries entries, the rest of which are documents (package corpus). Some documents
// stand in the tree twice, once with every fifth line left out, since plain copies have to be found too.
//
// A dream proposes the pairs that reach overlap.Merge, the surest first, each entry in at most one of them. A
// proposed pair counts as found if its entries say the same, and as wrong if they are look-alikes or
// unrelated. Pairs among the documents have no labels, so they are counted apart and listed, to be read.
package main

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/bench/corpus"
	"github.com/brv-lsp/brv-lsp/bench/process"
	"github.com/brv-lsp/brv-lsp/dream/overlap"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

//go:embed testdata/*.txtar
var data embed.FS

func main() {
	log.SetFlags(0)
	docs := flag.String("docs", "", "documents that the pairs are planted among; for -fit several, each a tree of its own")
	entries := flag.Int("entries", 2000, "entries of the tree")
	sets := flag.String("pairs", "tune", "tune, measure or both")
	fit := flag.Bool("fit", false, "fit the weights of the features")
	dreams := flag.Bool(
		"dreams", false, "write the tree and dream of it until nothing more is merged, instead of only comparing its entries")
	speed := flag.Bool("speed", false, "measure time and memory")
	verbose := flag.Bool("v", false, "list what is wrong, missed, or proposed among the documents")
	flag.Parse()
	if err := run(*docs, *entries, *sets, *fit, *speed, *dreams, *verbose); err != nil {
		log.Fatal(err)
	}
}

func run(docs string, entries int, sets string, fit, speed, dreams, verbose bool) error {
	planted, err := plant(strings.Split(sets, ","))
	if err != nil {
		return err
	}
	if fit {
		return fitWeights(os.Stdout, planted, strings.Split(docs, ","), entries)
	}
	all, err := among(planted, docs, entries)
	if err != nil {
		return err
	}
	if speed {
		measureSpeed(os.Stdout, all)
		return nil
	}
	var x *overlap.Index
	var pairs []overlap.Pair
	spent, err := process.Timed(func() error {
		if x, err = overlap.Read(context.Background(), all); err != nil || !dreams {
			return err
		}
		n := 0
		if pairs, n, err = dreamt(context.Background(), all); err == nil {
			fmt.Printf("%d dreams that merge\n\n", n)
		}
		return err
	})
	if err != nil {
		return err
	}
	report(os.Stdout, x, all, pairs, verbose)
	fmt.Printf("\n%.1f s of processor time, %.1f s by the clock\n", spent.CPU/1e3, spent.Wall/1e3)
	return nil
}

// plant reads sets of pairs: section dup/07/a.md of set tune is the entry
// planted/tune/dup/07_a.md.
func plant(sets []string) (out []*format.Entry, err error) {
	for _, set := range sets {
		raw, err := data.ReadFile("testdata/" + set + ".txtar")
		if err != nil {
			return nil, err
		}
		for _, f := range corpus.Sections(string(raw)) {
			kind, rest, ok := strings.Cut(f.Name, "/")
			if !ok || kind != "dup" && kind != "like" {
				return nil, fmt.Errorf("%s.txtar:%d: dup/NN/NAME.md or like/NN/NAME.md is expected", set, f.Line)
			}
			out = append(out, format.Parse(path.Join("planted", set, kind, strings.ReplaceAll(rest, "/", "_")), f.Text))
		}
	}
	return out, nil
}

// among are the planted entries, and documents up to a number of entries.
func among(planted []*format.Entry, docs string, entries int) ([]*format.Entry, error) {
	if docs == "" {
		return planted, nil
	}
	rest, err := background(docs, entries-len(planted)-copied)
	if err != nil {
		return nil, err
	}
	return slices.Concat(planted, rest, copies(rest)), nil
}

// background are entries made of documents, evenly from all of them. A page of which another
// version was taken is left out: the two say the same indeed.
func background(file string, n int) ([]*format.Entry, error) {
	docs, err := corpus.Read(file)
	if err != nil {
		return nil, err
	}
	if n <= 0 || len(docs) == 0 {
		return nil, errors.New("no room for documents, or none there")
	}
	var list []corpus.Entry
	have := map[string]bool{}
	for i, e := range corpus.Convert(docs) {
		key := e.Title + "\n" + path.Base(docs[i].Path)
		if e.Title == "" || !have[key] {
			have[key] = true
			list = append(list, e)
		}
	}
	var out []*format.Entry
	for i := range min(n, len(list)) {
		e := list[i*len(list)/min(n, len(list))]
		out = append(out, format.Parse(e.Path, e.Text()))
	}
	return out, nil
}

// copied is how many documents are copied, each without every dropped-th line.
const (
	copied  = 50
	dropped = 5
)

// copies are documents a second time, with some lines less.
func copies(docs []*format.Entry) (out []*format.Entry) {
	for i := range min(copied, len(docs)) {
		e := docs[i*len(docs)/min(copied, len(docs))]
		text := e.Text[:e.Body.Start]
		n := 0
		for line := range strings.Lines(e.Body.Of(e.Text)) {
			if n++; n%dropped != 0 {
				text += line
			}
		}
		out = append(out, format.Parse(copyPath(e.Path), text))
	}
	return out
}

func copyPath(p string) string { return "copies/of/" + strings.ReplaceAll(p, "/", "__") }

// kind is the known relationship of two entries.
type kind string

const (
	same      kind = "says the same"
	lookAlike kind = "look-alike"
	aCopy     kind = "copy"
	foreign   kind = "foreign" // planted, and no pair
	document  kind = "document"
)

// kindOf returns the known relationship of two entries.
func kindOf(a, b string) kind {
	if a == copyPath(b) || b == copyPath(a) {
		return aCopy
	}
	if !strings.HasPrefix(a, "planted/") && !strings.HasPrefix(b, "planted/") {
		return document
	}
	if pairOf(a) != pairOf(b) {
		return foreign
	}
	if strings.Contains(a, "/dup/") {
		return same
	}
	return lookAlike
}

// pairOf returns the common part of the names of a planted pair, such as planted/tune/dup/07.
func pairOf(p string) string {
	if !strings.HasPrefix(p, "planted/") {
		return p
	}
	before, _, _ := strings.Cut(p, "_")
	return before
}

// setOf is the set that a planted entry is from.
func setOf(p string) string { return strings.Split(p+"//", "/")[1] }

// proposed are the pairs that a dream proposes to merge, the surest first.
func proposed(x *overlap.Index, all []*format.Entry) (out []overlap.Pair) {
	var pairs []overlap.Pair
	for _, e := range all {
		for _, p := range x.Near(e.Path) {
			if p.Same >= overlap.Merge {
				pairs = append(pairs, p)
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b overlap.Pair) int {
		return cmp.Or(cmp.Compare(b.Same, a.Same), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
	busy := map[string]bool{}
	for _, p := range pairs {
		if !busy[p.A] && !busy[p.B] {
			busy[p.A], busy[p.B] = true, true
			out = append(out, p)
		}
	}
	return out
}
