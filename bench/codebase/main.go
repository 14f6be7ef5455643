// Command codebase measures how the repo map finds what a change is about: commit
// messages against the source files that the commits changed, at their parents.
//
//	go run ./bench/codebase --instances FILE|DIR[,…] --repos DIR [--json] [--runs OUT]
//		[--limit N] [--only ID] [--entries DIR | --documents on|off] [--history=false] [--baseline=false] [--verify] [--jobs N]
//	go run ./bench/codebase --compare A B
//
// instances.go says what an instance is. DIR holds the repositories, bare or cloned, as
// owner+name or name; nothing in them is written. Each repository is copied to the commit
// before its oldest instance, mapped once, and brought from instance to instance by what
// changed between their commits.
//
// Reported is first of all which of the changed lines stand in packs of three budgets, as
// a mean over commits, beside windows of forty lines that BM25 ranks, in the same number of
// tokens (bench/shown); which changes have any line shown and which all; which functions have
// all their changed lines shown and which their whole body; what stands in the pack where
// nothing of a change does, and what the tokens went to (lines.go). Then hit@k, MRR and
// Acc@k of the ranking of all files of the map (metrics.go), beside plain BM25 over files
// (bench/bm25); how well the other gold files are found while one is open (editing.go);
// and what all this costs.
//
// With --entries packs are made of the code and of the context tree in DIR/.brv: whether knowledge that has nothing to do
// with a task takes the place of code is seen beside a run without. With --documents they are made by a workspace, with and
// without the repository's own documents, for the same comparison.
//
// Processor time is that of the process which measures one repository, and for reading
// files also of its parsers. With --jobs above 1 repositories are measured side by side:
// wall times then say less.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"

	"github.com/brv-lsp/brv-lsp/bench/mirror"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// config holds the flags of the command line.
type config struct {
	instances string
	repos     string
	only      string
	limit     int
	jobs      int
	baseline  bool
	json      bool
	runs      string
	verify    bool
	compare   []string
	signals   string
	bodies    string
	entries   string
	documents string
	history   bool
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) > 1 && os.Args[1] == repositoryArg {
		os.Exit(repositoryMain(ctx, os.Stdin, os.Stdout, os.Stderr))
	}
	var c config
	flag.StringVar(&c.instances, "instances", "", "`files` of instances, or folders of such files, comma-separated")
	flag.StringVar(&c.repos, "repos", "", "`folder` of the repositories")
	flag.BoolVar(&c.json, "json", false, "print one JSON object instead of tables")
	flag.StringVar(&c.runs, "runs", "", "append a JSON line for each instance to a `file`")
	flag.IntVar(&c.limit, "limit", 0, "measure only the first `N` instances of each repository")
	flag.StringVar(&c.only, "only", "", "measure only the instance with this `id`")
	flag.BoolVar(&c.baseline, "baseline", true, "measure BM25 over files and over windows of lines too")
	flag.IntVar(&c.jobs, "jobs", 1, "measure `N` repositories at the same time")
	flag.BoolVar(&c.verify, "verify", false, "scan each repository anew at its last instance, and fail if the map differs")
	flag.StringVar(&c.signals, "signals", "", "append the ranking's signals to a `file`, for fitting its weights, and measure nothing")
	flag.StringVar(&c.bodies, "bodies", "", "append the signals of excerpts to a `file`, for fitting their chances, and measure nothing")
	flag.StringVar(&c.entries, "entries", "", "pack code beside the entries of this `folder`")
	flag.StringVar(&c.documents, "documents", "", "pack as a workspace does, with its documents `on` or off")
	flag.BoolVar(&c.history, "history", true, "let git's history take part")
	pair := flag.Bool("compare", false, "compare two files that -runs has written, and measure nothing")
	flag.Parse()
	if *pair {
		c.compare = flag.Args()
	}
	if *pair && flag.NArg() != 2 || !*pair && (c.instances == "" || c.repos == "" || flag.NArg() > 0) {
		fmt.Fprintln(os.Stderr, "codebase: either -instances and -repos are needed, or -compare with two files; -help lists the flags")
		os.Exit(2)
	}
	if err := run(ctx, c, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "codebase:", err)
		os.Exit(1)
	}
}

// run measures or compares.
func run(ctx context.Context, c config, stdout, progress io.Writer) error {
	if c.compare != nil {
		return runCompare(c, stdout)
	}
	all, err := readInstances(c.instances)
	if err != nil {
		return err
	}
	if all, err = chosen(all, c.only, c.limit); err != nil {
		return err
	}
	var jobs []job
	for _, group := range byRepository(all) {
		dir, err := mirror.GitDir(c.repos, group[0].Repo)
		if err != nil {
			return err
		}
		jobs = append(jobs, job{GitDir: dir, Instances: group, Baseline: c.baseline, Verify: c.verify,
			Entries: c.entries, Documents: c.documents, NoHistory: !c.history, Signals: c.signals != "", Bodies: c.bodies != ""})
	}
	results, err := measureAll(ctx, jobs, max(1, c.jobs), progress)
	if err != nil {
		return err
	}
	if c.signals != "" {
		return appendLines(c.signals, results, func(r result) []signalled { return r.Signals })
	}
	if c.bodies != "" {
		return appendLines(c.bodies, results, func(r result) []excerpted { return r.Bodies })
	}
	if c.runs != "" {
		if err := appendLines(c.runs, results, func(r result) []record { return r.Records }); err != nil {
			return err
		}
	}
	r := reportOf(results)
	if c.json {
		return writeJSON(stdout, r)
	}
	_, err = io.WriteString(stdout, r.tables())
	return err
}

// measureAll measures repositories, some at a time. The first error ends all.
func measureAll(ctx context.Context, jobs []job, atOnce int, progress io.Writer) ([]result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	results := make([]result, len(jobs))
	slots := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for i, j := range jobs {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			if ctx.Err() != nil {
				return
			}
			var err error
			if results[i], err = apart(ctx, j, progress); err != nil {
				cancel(err)
				return
			}
			fmt.Fprintf(progress, "%s: %d instances\n", j.Instances[0].Repo, len(j.Instances))
		})
	}
	wg.Wait()
	return results, context.Cause(ctx)
}

func runCompare(c config, stdout io.Writer) error {
	a, err := readRuns(c.compare[0])
	if err != nil {
		return err
	}
	b, err := readRuns(c.compare[1])
	if err != nil {
		return err
	}
	all := compare(a, b)
	if len(all) == 0 || all[0].Pairs == 0 {
		return fmt.Errorf("%s and %s have no instance in common", c.compare[0], c.compare[1])
	}
	if c.json {
		return writeJSON(stdout, all)
	}
	_, err = io.WriteString(stdout, comparison(all))
	return err
}
