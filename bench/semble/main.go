// Command semble measures the ranking of code on a benchmark that others made and
// publish results on: semble's. Questions about 63 public repositories, at pinned
// commits, each with the files that answer it.
//
//	go run ./bench/semble --repos DIR --annotations DIR [--only NAME,…] [--runs FILE.md] [-v]
//
// Annotations are the folder benchmarks of the benchmark's repository: repos.json,
// annotations/NAME.json, and results/ with what others scored. Repos holds the
// repositories, bare or cloned, as owner+name or name, with their whole history; nothing
// in them is written, and those that are not there, or lack the pinned commit, are left
// out with a note.
//
// As the benchmark has it, only the folder that repos.json names of a repository is
// mapped, and a file ranking is scored by NDCG@10 (score.go). Each question is ranked
// without what git knows and with it, up to the pinned commit; beside them stand plain
// BM25 (bench/bm25) and the published results, over the same repositories. A mean is one
// over repositories, as theirs are; that over questions stands beside it.
//
// -runs FILE.md writes the tables there, and a line of JSON for each question, by its
// number, beside it in FILE.jsonl.gz.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/bench/mirror"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// config holds the flags of the command line.
type config struct {
	repos       string
	annotations string
	only        []string
	verbose     bool
	runs        string
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	var c config
	flag.StringVar(&c.repos, "repos", "", "`folder` of the repositories")
	flag.StringVar(&c.annotations, "annotations", "", "`folder` of the benchmark, with repos.json and annotations")
	only := flag.String("only", "", "measure only the repositories with these `names`, comma-separated")
	flag.BoolVar(&c.verbose, "v", false, "list the questions that are not answered in full")
	flag.StringVar(&c.runs, "runs", "", "write the tables to a `file`.md, and each question to file.jsonl.gz")
	flag.Parse()
	if c.repos == "" || c.annotations == "" || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "semble: -repos and -annotations are needed; -help lists the flags")
		os.Exit(2)
	}
	if *only != "" {
		c.only = strings.Split(*only, ",")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, c, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "semble:", err)
		os.Exit(1)
	}
}

// run measures the repositories that are at hand.
func run(ctx context.Context, c config, stdout, progress io.Writer) error {
	projects, err := readProjects(c.annotations)
	if err != nil {
		return err
	}
	others, err := readPublished(c.annotations)
	if err != nil {
		return err
	}
	var r report
	for _, p := range projects {
		if len(c.only) > 0 && !slices.Contains(c.only, p.Name) {
			continue
		}
		found, err := measure(ctx, c.repos, p)
		if errors.Is(err, mirror.ErrAbsent) {
			r.absent = append(r.absent, p.Name)
			fmt.Fprintf(progress, "%s: left out: %v\n", p.Name, err)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		r.measured = append(r.measured, found)
		fmt.Fprintf(progress, "%s: %d files, %d questions\n", p.Name, found.files, len(found.answers))
	}
	if len(r.measured) == 0 {
		return errors.New("no repository is at hand; -repos names their folder")
	}
	text := r.tables(others)
	if c.runs != "" {
		if err := r.keep(c.runs, text); err != nil {
			return err
		}
	}
	if c.verbose {
		text += r.missed()
	}
	_, err = io.WriteString(stdout, text)
	return err
}
