// Command fit finds the weights of the file ranking from what `go run ./bench/codebase -signals`
// wrote. It fits on all repositories but one and measures on that one, for each in turn;
// the weights it prints at the end are fitted on all.
//
//	go run ./bench/codebase -instances DIR -repos DIR -signals FILE
//	go run ./bench/codebase/fit FILE
//
// With -bodies it fits the chance that a change touches an excerpt, from what
// `go run ./bench/codebase -bodies` wrote (bodies.go).
//
//	go run ./bench/codebase -instances DIR -repos DIR -limit 50 -bodies FILE
//	go run ./bench/codebase/fit -bodies FILE
//
// What is fitted else: the weights for tasks of few words and for tasks of many (mean reciprocal
// rank of the first gold file), those of an open file (recall at 10 of the other gold
// files), and what these count beside a task.
package main

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "-bodies" {
		if err := fitBodies(os.Args[2], os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "fit:", err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "fit: one file of signals is needed; `go run ./bench/codebase -signals FILE` writes it")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fit:", err)
		os.Exit(1)
	}
}

func run(file string, out io.Writer) error {
	queries, err := readQueries(file)
	if err != nil {
		return err
	}
	tasks := only(queries, func(q *query) bool { return q.Task && !q.Open })
	opened := only(queries, func(q *query) bool { return !q.Task && q.Open })
	both := only(queries, func(q *query) bool { return q.Task && q.Open })
	start := startWeights()

	fmt.Fprintf(out, "%d tasks, %d open files\n\n", len(tasks), len(opened))
	taskFit := problem{tasks, meanReciprocalRank, taskParameters()}
	report(out, "task (MRR)", taskFit, start)
	start, _ = taskFit.fit(start)
	openFit := problem{opened, recallAt10, openParameters()}
	report(out, "open file (recall@10)", openFit, start)
	start, _ = openFit.fit(start)
	bothFit := problem{both, meanReciprocalRank, besideParameters()}
	report(out, "task and open file (MRR)", bothFit, start)
	start, _ = bothFit.fit(start)
	printWeights(out, start)
	return nil
}

// report measures the present weights, those of the left-out fits, and those of the fit
// on all, per repository.
func report(out io.Writer, title string, p problem, now weights) {
	fmt.Fprintf(out, "%s\n%-24s %5s %8s %8s %8s\n", title, "left out", "n", "present", "left-out", "all")
	all, _ := p.fit(now)
	var sums [3]float64
	n := 0
	for _, repo := range repositories(p.queries) {
		rest := problem{only(p.queries, func(q *query) bool { return q.Repo != repo }), p.measure, p.parameters}
		own := only(p.queries, func(q *query) bool { return q.Repo == repo })
		fitted, _ := rest.fit(now)
		values := [3]float64{p.measure(own, &now), p.measure(own, &fitted), p.measure(own, &all)}
		fmt.Fprintf(out, "%-24s %5d %8.3f %8.3f %8.3f\n", repo, len(own), values[0], values[1], values[2])
		for i, v := range values {
			sums[i] += v * float64(len(own))
		}
		n += len(own)
	}
	fmt.Fprintf(out, "%-24s %5d %8.3f %8.3f %8.3f\n\n", "all", n, sums[0]/float64(n), sums[1]/float64(n), sums[2]/float64(n))
}

func printWeights(out io.Writer, w weights) {
	row := func(name string, s *codebase.Signals) {
		fmt.Fprintf(out, "%-8s", name)
		for i, n := range codebase.SignalNames() {
			if s[i] != 0 {
				fmt.Fprintf(out, " %s %.3g", n, s[i])
			}
		}
		fmt.Fprintln(out)
	}
	row("short", &w.short)
	row("long", &w.long)
	row("file", &w.file)
	fmt.Fprintf(out, "%-8s beside a task %.3g, demotion %.3g\n", "", w.beside, w.demotion)
}

func repositories(queries []*query) []string {
	var out []string
	for _, q := range queries {
		if !slices.Contains(out, q.Repo) {
			out = append(out, q.Repo)
		}
	}
	slices.Sort(out)
	return out
}
