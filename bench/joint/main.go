// Command joint measures whether one pack of knowledge and code in one budget shows more
// of what tasks need than separate ones do.
//
//	go run ./bench/joint -repos DIR [-budgets 4096,8192] [-only NAME] [-v] [-runs FILE]
//
// testdata holds an archive for each repository: its commit, entries written for it, and
// tasks with the files and the entries that each needs (labels.go). DIR holds the
// repositories, bare or cloned, as owner+name or name; nothing in them is written. A
// repository that is not there is left out, with a note. The commit is brought into a
// folder whose git history ends with it, the entries are laid in, and each task is packed
//
//   - joint: knowledge and code in one budget;
//   - half and half: a pack of knowledge alone and one of code alone, with half each, as of
//     two tools that know nothing of each other;
//   - half, code the rest: likewise, and code also gets what knowledge left of its half;
//   - linked halves: as before, but both packs know both kinds and show one, so that all
//     they lack is the one budget;
//   - code: a pack of code alone;
//   - knowledge: a pack of knowledge alone.
//
// A pack of one kind is made of inputs that lack the other. What packs show is judged by
// their items, each of which must stand in the text (score.go). Tokens are o200k_base and
// are counted here. Equal inputs give equal tables. -runs FILE.md writes the tables there,
// and a line of JSON for each pack beside it in FILE.jsonl.gz.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"

	"github.com/brv-lsp/brv-lsp/bench/mirror"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// config holds the flags of the command line.
type config struct {
	labels  string // folder of the archives
	repos   string
	own     string // a folder of this project's repository
	budgets []int
	only    string
	verbose bool
	runs    string
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	c := config{own: "."}
	flag.StringVar(&c.labels, "labels", "bench/joint/testdata", "`folder` of the archives")
	flag.StringVar(&c.repos, "repos", "", "`folder` of the repositories")
	sizes := flag.String("budgets", "4096,8192", "budgets in tokens, `list` with commas")
	flag.StringVar(&c.only, "only", "", "only the archive with this `name`, or its task NAME/ID")
	flag.BoolVar(&c.verbose, "v", false, "say of each task what was not shown, and why")
	flag.StringVar(&c.runs, "runs", "", "write the tables to a `file`.md, and each pack to file.jsonl.gz")
	flag.Parse()
	var err error
	if c.budgets, err = parseBudgets(*sizes); err != nil || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "joint:", errors.Join(err, errors.New("-help lists the flags")))
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err = run(ctx, c, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "joint:", err)
		os.Exit(1)
	}
}

func parseBudgets(list string) (budgets []int, err error) {
	for s := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n <= 0 {
			return nil, fmt.Errorf("-budgets: %q is no number of tokens", s)
		}
		budgets = append(budgets, n)
	}
	return budgets, nil
}

// run measures all archives.
func run(ctx context.Context, c config, stdout, progress io.Writer) error {
	sets, err := readSets(c.labels)
	if err != nil {
		return err
	}
	if sets, err = chosen(sets, c.only); err != nil {
		return err
	}
	var records []record
	var measured []set
	for _, s := range sets {
		found, err := measure(ctx, c, s)
		if errors.Is(err, mirror.ErrAbsent) {
			fmt.Fprintf(progress, "%s: left out: %v\n", s.Name, err)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		fmt.Fprintf(progress, "%s: %d tasks\n", s.Name, len(s.Tasks))
		measured = append(measured, s)
		records = append(records, found...)
	}
	if len(records) == 0 {
		return errors.New("no repository is at hand; -repos names their folder")
	}
	text := sources(measured) + tables(records, c.budgets) + missed(records, c.budgets)
	if c.runs != "" {
		if err := keep(c.runs, text, records); err != nil {
			return err
		}
	}
	if c.verbose {
		text += list(records)
	}
	_, err = io.WriteString(stdout, text)
	return err
}

// measure packs each task of one archive.
func measure(ctx context.Context, c config, s set) (records []record, err error) {
	gitDir, err := gitDirOf(ctx, c, s.Repo)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "brv-bench-joint-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := mirror.Checkout(ctx, gitDir, s.Commit, "", dir); err != nil {
		return nil, err
	}
	if err := s.lay(dir); err != nil {
		return nil, err
	}
	o, err := openOurs(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	if err := s.check(o); err != nil {
		return nil, err
	}
	for _, t := range s.Tasks {
		needs, err := o.needs(ctx, t)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.ID, err)
		}
		for _, budget := range c.budgets {
			for _, m := range modes {
				r, err := o.try(ctx, t, needs, m, budget)
				if errors.Is(err, errKinds) {
					continue // the tables lack the mode
				}
				if err != nil {
					return nil, fmt.Errorf("%s: %s: %w", t.ID, m.name, err)
				}
				r.Set = s.Name
				records = append(records, r)
			}
		}
	}
	return records, nil
}

// gitDirOf finds the git folder of a repository, or of this project.
func gitDirOf(ctx context.Context, c config, repo string) (string, error) {
	if repo != "." {
		return mirror.GitDir(c.repos, repo)
	}
	out, err := exec.CommandContext(ctx, "git", "-C", c.own, "rev-parse", "--path-format=absolute", "--git-common-dir").Output()
	if err != nil {
		return "", fmt.Errorf("%w: this folder is no clone of the project%s", mirror.ErrAbsent, mirror.Stderr(err))
	}
	return strings.TrimSpace(string(out)), nil
}
