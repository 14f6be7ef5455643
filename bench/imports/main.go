// Command imports measures how well the map's imports resolve, against what the
// language's own tools say.
//
// Each folder under --repos is a checkout. It is scanned as the server scans it;
// then the oracle of each language whose tools are on the machine is asked for
// the same imports: the TypeScript compiler's and node's resolvers, Python's
// import machinery, rustdoc's view of a crate, go list, javac, gcc; for languages
// whose compilers are rarely at hand a sample of answers found by reading. No
// oracle runs code of the checkout but Rust's, which compiles it: build scripts
// run. The folders of checkouts that the gcc and sample oracles know are called
// OWNER+NAME.
//
//	go run ./bench/imports --repos DIR [--typescript DIR] [--only rust] [--json FILE]
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// answer is an oracle's resolution of one import.
type answer struct {
	File    string   // the importing file
	Spec    string   // as syntax.Import has it
	Paths   []string // where it leads; empty: out of the checkout
	Unknown bool     // the oracle cannot say: what it would need is not in the checkout
}

// oracles by name; each answers for the files of its language. One whose tool is
// not on the machine returns errAbsent.
var oracles = map[string]func(ctx context.Context, dir string) ([]answer, error){}

// errAbsent says that the tool an oracle needs is not there.
var errAbsent = errors.New("tool not found")

func main() {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	repos := flag.String("repos", "", "folder of checkouts")
	only := flag.String("only", "", "comma-separated names of oracles; all if empty")
	repo := flag.String("repo", "", "comma-separated names of checkouts; all if empty")
	jsonFile := flag.String("json", "", "file that gets the results as JSON too")
	list := flag.Int("list", 20, "differences that are printed of each repository and language")
	flag.StringVar(&typescriptDir, "typescript", "", "folder of the npm package typescript 5; node's own search if empty")
	flag.StringVar(&rustTarget, "rust-target", "", "folder that keeps what cargo builds; a temporary one if empty")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	results, err := run(ctx, *repos, listed(*repo), listed(*only))
	if err != nil {
		fmt.Fprintln(os.Stderr, "imports:", err)
		os.Exit(1)
	}
	if *jsonFile != "" {
		if err := writeJSON(*jsonFile, results); err != nil {
			fmt.Fprintln(os.Stderr, "imports:", err)
			os.Exit(1)
		}
	}
	printResults(os.Stdout, results, *list)
}

func writeJSON(name string, results []result) error {
	text, err := json.MarshalIndent(results, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o644)
}

// listed splits a flag; nil takes everything.
func listed(s string) func(string) bool {
	names := strings.Split(s, ",")
	return func(name string) bool { return s == "" || slices.Contains(names, name) }
}

// run measures the wanted checkouts under dir with the wanted oracles.
func run(ctx context.Context, dir string, wantRepo, wantOracle func(string) bool) ([]result, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	pool := syntax.NewPool(syntax.Options{})
	defer pool.Close()
	var out []result
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(dir, e.Name())) // a link to a checkout is one
		if err != nil || !info.IsDir() || !wantRepo(e.Name()) {
			continue
		}
		// Tools answer with real paths.
		checkout, err := filepath.EvalSymlinks(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		if checkout, err = filepath.Abs(checkout); err != nil {
			return nil, err
		}
		rs, err := measure(ctx, pool, e.Name(), checkout, wantOracle)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		out = append(out, rs...)
	}
	return out, nil
}

// measure scans one checkout and compares it with each oracle.
func measure(ctx context.Context, pool *syntax.Pool, repository, dir string, want func(string) bool) ([]result, error) {
	root, err := jail.Open(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	m, err := codebase.Scan(ctx, root, codebase.Options{Parser: pool})
	if err != nil {
		return nil, err
	}
	var out []result
	for _, name := range oracleNames() {
		if !want(name) {
			continue
		}
		answers, err := oracles[name](ctx, dir)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r := compare(m, answers)
		r.Repository, r.Oracle = repository, name
		if err != nil {
			r.Absent = err.Error()
		}
		if r.Inside+r.False+r.Unknown > 0 || r.Absent != "" {
			out = append(out, r)
		}
	}
	return out, nil
}
