// Command retrieval measures the ranking on data sets with relevance labels.
//
//	go run ./bench/retrieval -data DIR [-sets a,b] [-json FILE] [-markdown FILE]
//
// DIR holds one folder per set with docs.jsonl.gz, queries.jsonl and qrels.tsv.
// Every set becomes a context tree, is indexed as the server indexes one, and
// each query is asked through the same call that the server makes: scopes read
// from a query's first word, spelling and all. Reported are R@1, R@5, R@10, MRR@10
// and nDCG@10 (binary gains), how often a direct answer is given and how often it
// is right, and, against the folder ood-queries, how often an answerable query is
// refused and an unanswerable one let through. Scoped rows ask the unanswerable ones
// in every scope of the set, each of which is a small tree.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
)

// Report is what a run found.
type Report struct {
	Go    string `json:"go"`
	CPUs  int    `json:"cpus"`
	Rows  []Row  `json:"rows"`
	Trees []Tree `json:"trees"`
}

// Tree says how long a set took to index.
type Tree struct {
	Set       string  `json:"set"`
	Documents int     `json:"documents"`
	Megabytes float64 `json:"megabytes"`
	ParseMS   float64 `json:"parseMs"`
	IndexMS   float64 `json:"indexMs"`
	IndexCPU  float64 `json:"indexCpuMs"` // processor time, all cores together; 0 where there is no /proc
	UpdateMS  float64 `json:"updateMs"`   // one edited entry
}

func main() {
	data := flag.String("data", "", "`folder` of the data sets")
	sets := flag.String("sets", "", "comma-separated sets; default: every set in the folder")
	quarter := flag.String("quarter", "win32-24k", "`set` of which the quarter of the queries with a number divisible by four is reported too")
	asJSON := flag.String("json", "", "write the report to `file` as JSON")
	asMarkdown := flag.String("markdown", "", "write the tables to `file` as markdown")
	flag.Parse()
	if *data == "" {
		fmt.Fprintln(os.Stderr, "retrieval: -data is missing")
		os.Exit(2)
	}
	if err := run(*data, *sets, *quarter, *asJSON, *asMarkdown); err != nil {
		fmt.Fprintln(os.Stderr, "retrieval:", err)
		os.Exit(1)
	}
}

func run(data, sets, quarter, asJSON, asMarkdown string) error {
	names := strings.FieldsFunc(sets, func(r rune) bool { return r == ',' })
	if len(names) == 0 {
		found, err := filepath.Glob(filepath.Join(data, "*", "docs.jsonl.gz"))
		if err != nil {
			return err
		}
		for _, f := range found {
			names = append(names, filepath.Base(filepath.Dir(f)))
		}
	}
	foreign, err := readQueries(filepath.Join(data, "ood-queries", "queries.jsonl"))
	if err != nil {
		return err
	}
	rep := Report{Go: runtime.Version(), CPUs: runtime.NumCPU()}
	for _, name := range names {
		if err := rep.measure(data, name, quarter, foreign); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintln(os.Stderr, name, "done")
	}
	text := rep.markdown()
	fmt.Print(text)
	if asMarkdown != "" {
		if err := os.WriteFile(asMarkdown, []byte(text), 0o644); err != nil {
			return err
		}
	}
	if asJSON == "" {
		return nil
	}
	raw, err := json.MarshalIndent(rep, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(asJSON, append(raw, '\n'), 0o644)
}

// measure adds the rows of one set.
func (rep *Report) measure(data, name, quarter string, foreign []query) error {
	set, err := readSet(filepath.Join(data, name))
	if err != nil {
		return err
	}
	engine, err := retrieval.New(retrieval.Options{})
	if err != nil {
		return err
	}
	defer engine.Close()
	index, cost, err := build(engine, set)
	if err != nil {
		return err
	}
	cost.Set = name
	rep.Trees = append(rep.Trees, cost)
	ask := func(label string, queries []query, scoped bool) error {
		row, err := measure(index, set, queries, scoped)
		if err != nil {
			return err
		}
		scopes := []string{""}
		if scoped {
			scopes = scopesOf(queries)
		}
		row.FalseAccept, row.Foreign, err = accepted(index, foreignTo(name, foreign), scopes)
		row.Set = label
		rep.Rows = append(rep.Rows, row)
		return err
	}
	if err := ask(name, set.queries, false); err != nil {
		return err
	}
	if name == quarter {
		if err := ask(name+" (a quarter of the queries)", everyFourth(set.queries), false); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(set.queries, func(q query) bool { return q.Scope != "" }) {
		return ask(name, set.queries, true)
	}
	return nil
}

// build indexes a set and then one edit of it.
func build(engine *retrieval.Retriever, set *dataset) (*retrieval.Index, Tree, error) {
	cost := Tree{Documents: len(set.docs)}
	start := time.Now()
	entries := make([]*tree.Entry, len(set.docs))
	for i, d := range set.docs {
		cost.Megabytes += float64(len(d.text)) / 1e6
		entries[i] = tree.Parse(d.path, d.text)
	}
	snap := tree.NewSnapshot(entries, nil)
	cost.ParseMS = ms(time.Since(start))
	runtime.GC() // what reading the set left is not the index's cost
	start, used := time.Now(), cpuMS()
	index, err := engine.Sync(context.Background(), snap)
	if err != nil {
		return nil, cost, err
	}
	cost.IndexMS, cost.IndexCPU = ms(time.Since(start)), cpuMS()-used
	edited := snap.With(entries[0].Path, entries[0].Text+"\n")
	start = time.Now()
	if _, err := engine.Sync(context.Background(), edited); err != nil {
		return nil, cost, err
	}
	cost.UpdateMS = ms(time.Since(start))
	return index, cost, nil
}

// cpuMS is the processor time that this process has used.
func cpuMS() float64 {
	data, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0
	}
	// utime and stime, the 14th and 15th field, in hundredths of a second; the name
	// in parentheses may hold spaces.
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return 10 * (user + system)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
