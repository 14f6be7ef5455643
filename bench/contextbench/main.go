// Command contextbench measures packs against what people judged to be needed: issues whose files and lines were labelled
// by hand (ContextBench, Apache-2.0).
//
//	go run ./bench/contextbench -tasks FILE -repos DIR -work DIR [-budgets 500,1000,2000,4000,8000] [-only TEXT]
//		[-baseline=false] [-runs FILE] [-v]
//
// FILE holds a JSON object a line: id, repo, commit, task, and gold, the lines of files that are needed. Repositories are
// found in DIR as bench/codebase finds them; those that are not at hand are left out and named. Each commit is checked out
// below the work folder, which keeps the checkouts and what was read of them for the next run.
//
// A pack is asked for as a user's program asks, with documents and history, and read as an agent would (bench/shown). For
// files, blocks and lines precision, recall and F1 are the means over the tasks of each task's. A block of the gold is one
// of its labels, found if half of its lines are shown; a block shown is a run of lines, right if half of them are needed.
// Beside it stand windows of forty lines and whole files that BM25 ranks, with the same number of tokens at most.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/brv-lsp/brv-lsp/bench/bm25"
	"github.com/brv-lsp/brv-lsp/bench/mirror"
	"github.com/brv-lsp/brv-lsp/bench/shown"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/contextpack"
)

type task struct {
	ID       string  `json:"id"`
	Repo     string  `json:"repo"`
	Language string  `json:"language"`
	Commit   string  `json:"commit"`
	Task     string  `json:"task"`
	Gold     []label `json:"gold"`
}

// label is a run of lines that is needed, 1-based.
type label struct {
	File  string `json:"file"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

type options struct {
	tasks, repos, work, runs, only string
	budgets                        []int
	verbose, baseline              bool
}

// The engines, in the order of the table.
var engines = []string{"brv-lsp", "brv-lsp --fill", "windows, BM25", "whole files, BM25"}

func main() {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	var o options
	budgets := flag.String("budgets", "500,1000,2000,4000,8000", "tokens of the packs")
	flag.StringVar(&o.tasks, "tasks", "", "`file` of tasks")
	flag.StringVar(&o.repos, "repos", "", "`folder` of the repositories")
	flag.StringVar(&o.work, "work", "", "`folder` of the checkouts")
	flag.StringVar(&o.runs, "runs", "", "append a JSON line for each pack to a `file`")
	flag.StringVar(&o.only, "only", "", "measure only tasks whose id or repository holds this `text`")
	flag.BoolVar(&o.baseline, "baseline", true, "measure windows and whole files too")
	flag.BoolVar(&o.verbose, "v", false, "print each task")
	flag.Parse()
	for b := range strings.SplitSeq(*budgets, ",") {
		n, err := strconv.Atoi(b)
		if err != nil {
			fmt.Fprintln(os.Stderr, "contextbench:", err)
			os.Exit(2)
		}
		o.budgets = append(o.budgets, n)
	}
	if err := run(context.Background(), o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "contextbench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, out io.Writer) error {
	all, err := os.ReadFile(o.tasks)
	if err != nil {
		return err
	}
	var records []record
	for line := range strings.Lines(string(all)) {
		var t task
		if err := json.Unmarshal([]byte(line), &t); err != nil {
			return err
		}
		if !strings.Contains(t.ID+t.Repo, o.only) {
			continue
		}
		some, err := measure(ctx, o, t)
		if errors.Is(err, mirror.ErrAbsent) {
			fmt.Fprintf(out, "left out: %s at %.10s\n", t.Repo, t.Commit)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.ID, err)
		}
		records = append(records, some...)
		if o.verbose {
			for _, r := range some {
				fmt.Fprintln(out, r.row())
			}
		}
	}
	if o.runs != "" {
		if err := appendRuns(o.runs, records); err != nil {
			return err
		}
	}
	report(out, records, o.budgets)
	return nil
}

func appendRuns(file string, records []record) (err error) {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriter(f)
	for _, r := range records {
		if err := json.NewEncoder(w).Encode(r); err != nil {
			return err
		}
	}
	return w.Flush()
}

// measure asks for the packs of one task.
func measure(ctx context.Context, o options, t task) (out []record, err error) {
	dir, err := checkout(ctx, o, t)
	if err != nil {
		return nil, err
	}
	w, err := workspace.Open(ctx, dir, workspace.Options{Cache: filepath.Join(o.work, "cache"), Unhurried: true, Trusted: true})
	if err != nil {
		return nil, err
	}
	defer w.Close()
	v, err := w.View().Complete(ctx)
	if err != nil {
		return nil, err
	}
	add := func(engine, budget int, tokens int, blocks []shown.Block) {
		r := record{ID: t.ID, Repo: t.Repo, Engine: engines[engine], Budget: budget, Tokens: tokens}
		r.judge(t.Gold, blocks)
		out = append(out, r)
	}
	for engine, fill := range []bool{false, true} {
		for _, budget := range o.budgets {
			req := contextpack.PackRequest{Task: t.Task, BudgetTokens: budget, Fill: fill, Unasked: true} // else packs go on with the last
			p, err := contextpack.Pack(ctx, v, req)
			if err != nil && !errors.Is(err, pack.ErrBudget) {
				return nil, err
			}
			text := ""
			if p != nil {
				text = p.Text
			}
			blocks, _ := shown.Read(text)
			add(engine, budget, tokens.Count(text), blocks)
		}
	}
	if !o.baseline {
		return out, nil
	}
	windows, paths := shown.Windows{}, []string{}
	var index bm25.Index
	if err := index.Update(v.Code()); err != nil {
		return nil, err
	}
	for _, c := range v.Code().Chunks() {
		paths = append(paths, c.Path)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	windows.Update(root, paths)
	blocks, used := windows.Pack(t.Task, o.budgets)
	ranked := index.Rank(t.Task)
	for i, budget := range o.budgets {
		add(2, budget, used[i], blocks[i])
		whole, spent, err := wholeFiles(root, ranked, budget)
		if err != nil {
			return nil, err
		}
		add(3, budget, spent, whole)
	}
	return out, nil
}

// checkout returns the folder of a task's commit, and makes it if it is not there.
func checkout(ctx context.Context, o options, t task) (string, error) {
	repo := t.Repo
	git, err := mirror.GitDir(o.repos, repo)
	if err != nil { // SWE-bench has smaller copies of large repositories
		git, err = mirror.GitDir(o.repos, "swe-bench/"+strings.ReplaceAll(repo, "/", "__"))
	}
	if err != nil {
		return "", err
	}
	dir := filepath.Join(o.work, strings.ReplaceAll(repo, "/", "+")+"-"+t.Commit[:min(10, len(t.Commit))])
	if _, err := os.Stat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return dir, err
	}
	making := dir + ".part"
	if err := errors.Join(os.RemoveAll(making), os.MkdirAll(making, 0o777)); err != nil {
		return "", err
	}
	if err := mirror.CheckoutPresent(ctx, git, t.Commit, making); err != nil {
		return "", err
	}
	return dir, os.Rename(making, dir)
}

// maxWhole is how many files are tried.
const maxWhole = 50

// wholeFiles fills a budget with whole files, best first.
func wholeFiles(root *os.Root, ranked []string, budget int) (blocks []shown.Block, spent int, err error) {
	for _, p := range ranked[:min(maxWhole, len(ranked))] {
		data, err := root.ReadFile(p)
		if err != nil {
			return nil, 0, err
		}
		if len(data) > budget*12 {
			continue
		}
		text := shown.Clean(string(data))
		if n := tokens.Count(fmt.Sprintf("### `%s`\n```\n%s\n```\n", p, text)); spent+n <= budget {
			blocks = append(blocks, shown.Block{Path: p, Lines: [][2]int{{1, max(1, strings.Count(text, "\n"))}}, Text: text})
			spent += n
		}
	}
	return blocks, spent, nil
}
