// Command speed measures what the repo map costs on trees of several sizes, and holds
// it against targets.
//
//	go run ./bench/codebase/speed -from DIR[,DIR…] [-queries FILE.jsonl[,…]]
//		[-files 1000,5000,20000] [-asked N] [-edits N] [-steps NAME,…] [-json] [-profile DIR]
//
// The trees are made in a temporary folder of copies of the source files of the DIRs
// (package sources). Queries are the `query` fields of files of commits or issues, one JSON
// object a line; without such files they are made of names that the tree defines.
//
// Each step of a size runs in a process of its own (steps.go): tree-sitter's parse and
// query alone, the first scan, a second start that finds the first one's cache, the
// first pack of a tree that was never seen, asked of package workspace while the tree is
// being read, and what an editor asks for (editor.go).
//
// Processor time is the measuring process's own and, where files are parsed, also that
// of its parsers. Wall times hold on a machine that does nothing else.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/brv-lsp/brv-lsp/bench/sources"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// config holds the flags of the command line.
type config struct {
	from    []string
	queries []string
	sizes   []int
	asked   int
	edits   int
	json    bool
	profile string
	steps   []string
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) > 1 && os.Args[1] == stepArg {
		os.Exit(stepMain(ctx, os.Stdin, os.Stdout, os.Stderr))
	}
	c, err := readFlags(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(2)
	}
	if err := run(ctx, c, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
}

func readFlags(args []string) (config, error) {
	var c config
	flags := flag.NewFlagSet("speed", flag.ExitOnError)
	from := flags.String("from", "", "`folders` whose source files are copied, comma-separated")
	queries := flags.String("queries", "", "`files` with a JSON object a line that has a query, comma-separated")
	sizes := flags.String("files", "1000,5000,20000", "`numbers` of files, comma-separated")
	flags.IntVar(&c.asked, "asked", 120, "ask `N` queries")
	flags.IntVar(&c.edits, "edits", 30, "edit `N` files, twice each")
	flags.BoolVar(&c.json, "json", false, "print one JSON object instead of tables")
	flags.StringVar(&c.profile, "profile", "", "write profiles of processor time and memory to a `folder`")
	names := flags.String("steps", strings.Join(stepNames, ","), "take only these `steps`, comma-separated")
	if err := flags.Parse(args); err != nil {
		return c, err
	}
	if *from == "" || flags.NArg() > 0 {
		return c, fmt.Errorf("-from is needed, and nothing beside flags; -help lists them")
	}
	c.from = strings.Split(*from, ",")
	if *queries != "" {
		c.queries = strings.Split(*queries, ",")
	}
	for part := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(part)
		if err != nil || n <= 0 {
			return c, fmt.Errorf("-files: %q is no number of files", part)
		}
		c.sizes = append(c.sizes, n)
	}
	slices.Sort(c.sizes)
	for name := range strings.SplitSeq(*names, ",") {
		if steps[name] == nil {
			return c, fmt.Errorf("-steps: %q is no step; there are %s", name, strings.Join(stepNames, ", "))
		}
		c.steps = append(c.steps, name)
	}
	return c, nil
}

// run measures all sizes and prints the report.
func run(ctx context.Context, c config, stdout, progress io.Writer) error {
	temp, err := os.MkdirTemp("", "brv-speed-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	from, err := sources.Read(ctx, c.from)
	if err != nil {
		return err
	}
	queries, err := sources.ReadQueries(c.queries)
	if err != nil {
		return err
	}
	r := newReport(c.from)
	for _, n := range c.sizes {
		one, err := measure(ctx, c, from, queries, n, filepath.Join(temp, strconv.Itoa(n)), progress)
		if err != nil {
			return fmt.Errorf("%d files: %w", n, err)
		}
		r.Sizes = append(r.Sizes, one)
	}
	r.finish()
	if c.json {
		return json.NewEncoder(stdout).Encode(r)
	}
	_, err = io.WriteString(stdout, r.table())
	return err
}

// measure makes a tree of n files, and takes all steps on it.
func measure(ctx context.Context, c config, from []sources.Source, queries []string, n int, dir string,
	progress io.Writer) (size, error) {
	s := size{Files: n}
	root := filepath.Join(dir, "tree")
	var err error
	if s.Bytes, err = sources.Build(from, n, root); err != nil {
		return s, err
	}
	defer os.RemoveAll(dir)
	j := job{Root: root, Cache: filepath.Join(dir, "cache"), Queries: spread(queries, c.asked), Asked: c.asked, Edits: c.edits}
	for _, step := range c.steps {
		fmt.Fprintf(progress, "%d files: %s\n", n, step)
		j.Step, j.Profile = step, ""
		if c.profile != "" {
			j.Profile = filepath.Join(c.profile, fmt.Sprintf("%s-%d", step, n))
		}
		if err := apart(ctx, j, &s, progress); err != nil {
			return s, fmt.Errorf("%s: %w", step, err)
		}
	}
	return s, nil
}

// spread takes at most n of all, evenly.
func spread[T any](all []T, n int) []T {
	n = min(n, len(all))
	out := make([]T, n)
	for i := range out {
		out[i] = all[i*len(all)/n]
	}
	return out
}
