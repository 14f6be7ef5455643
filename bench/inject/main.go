// Command inject measures what an agent is told for a prompt that it did not ask about (workspace/inject), on commits
// of repositories that are at hand: the message is the prompt, the parent is the code, no context tree.
//
//	go run ./bench/inject -repos DIR -instances DIR [-per 10] [-skip 0] [-runs FILE.md]
//	go run ./bench/inject -repos DIR -instances DIR -fit
//	go run ./bench/inject -repos DIR -instances DIR -per 9 -skip 18 -pairs FILE.txt
//
// An instance is a line of JSON as bench/codebase reads it. For each is asked: is anything told; what share of the
// changed files does it name, of the changed lines does it show; how many tokens, how long. Beside it stand, in the
// same number of tokens (cap): nothing, a list of the files by path, and a map of the repository by importance as
// aider has it, here [codebase.RepoMap.Outline] without a task. Then the same prompts are asked in the wrong
// repository, and prompts that are about no code (foreign.txt, written before the weights were fitted): nothing should
// be told.
//
// -pairs writes what was told for each message that was not met with silence, with the files that the commit changed,
// for readers who judge whether it helps.
//
// -fit prints the weights of [codebase.Evidence], and what passes with those that the ten other repositories give.
package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/bench/mirror"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/inject"
)

//go:embed foreign.txt
var foreign string

// instance is a commit.
type instance struct {
	Repo    string              `json:"repo"`
	Base    string              `json:"base_commit"`
	Subject string              `json:"subject"`
	Query   string              `json:"query"`
	Files   []string            `json:"files"`
	Lines   map[string][][2]int `json:"base_lines"`
}

type options struct {
	repos, instances, runs string
	pairs                  string
	per, skip              int
	fit                    bool
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	var o options
	flag.StringVar(&o.repos, "repos", "", "`folder` of repositories, owner+name")
	flag.StringVar(&o.instances, "instances", "", "`folder` of files that end in .jsonl")
	flag.StringVar(&o.runs, "runs", "", "write the report to a `file`")
	flag.StringVar(&o.pairs, "pairs", "", "write tasks and what was told to a `file`, and nothing else")
	flag.IntVar(&o.per, "per", 10, "commits of each repository")
	flag.IntVar(&o.skip, "skip", 0, "leave out so many before")
	flag.BoolVar(&o.fit, "fit", false, "fit the weights of the evidence instead")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "inject:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	all, err := readInstances(o.instances)
	if err != nil {
		return err
	}
	if o.fit {
		return fit(ctx, o, all)
	}
	if o.pairs != "" {
		return pairs(ctx, o, all)
	}
	return measure(ctx, o, all)
}

// pairs writes tasks and what was told for them.
func pairs(ctx context.Context, o options, all map[string][]instance) error {
	var b strings.Builder
	n := 0
	for _, repo := range slices.Sorted(maps.Keys(all)) {
		for _, i := range all[repo][min(o.skip, len(all[repo])):min(o.skip+o.per, len(all[repo]))] {
			err := at(ctx, o, repo, i.Base, func(w *workspace.Workspace) error {
				s := inject.OpenSession("", "", "")
				told, err := inject.Prompt(ctx, w.View(), s, i.Query, inject.DefaultCap, 0)
				if told != "" {
					n++
					fmt.Fprintf(&b, "==== %d: %s ====\nTASK: %s\n\nCHANGED FILES:\n%s\n\nTOLD:\n%s\n\n", n, repo, i.Query,
						strings.Join(i.Files, "\n"), told)
				}
				return err
			})
			if err != nil {
				return fmt.Errorf("%s %s: %w", repo, i.Base, err)
			}
		}
	}
	return os.WriteFile(o.pairs, []byte(b.String()), 0o644)
}

// readInstances reads the commits of each repository.
func readInstances(folder string) (map[string][]instance, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("-instances %s: no file ends in .jsonl", folder)
	}
	all := map[string][]instance{}
	for _, name := range files {
		in, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var i instance
			if err := json.Unmarshal(lines.Bytes(), &i); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			all[i.Repo] = append(all[i.Repo], i)
		}
		if err := lines.Err(); err != nil {
			return nil, err
		}
		in.Close()
	}
	return all, nil
}

// at opens a repository as it was at a commit, and calls do once all of it is read.
func at(ctx context.Context, o options, repo, commit string, do func(*workspace.Workspace) error) error {
	gitDir, err := mirror.GitDir(o.repos, repo)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "brv-inject-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := mirror.Checkout(ctx, gitDir, commit, "", dir); err != nil {
		return err
	}
	w, err := workspace.Open(ctx, dir, workspace.Options{Trusted: true})
	if err != nil {
		return err
	}
	defer w.Close()
	if err := w.WaitCode(ctx); err != nil {
		return err
	}
	w.ReadHistory(ctx)
	return do(w)
}

// wrong are prompts about other repositories, and about none.
func wrong(all map[string][]instance, repo string, per int, r *rand.Rand) (others, none []string) {
	var names []string
	for name := range all {
		if name != repo {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		for range per {
			i := all[name][r.IntN(len(all[name]))]
			others = append(others, i.Subject, i.Query)
		}
	}
	return others, strings.Split(strings.TrimSpace(foreign), "\n")
}
