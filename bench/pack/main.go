// Command pack measures what packs cost on a context tree and a folder of given sizes, by
// processor time and by the clock, and whether they keep their deadlines.
//
//	go run ./bench/pack -from DIR[,DIR…] [-files 5000] [-entries 10000] [-packs 200]
//		[-budget 8192] [-git=false] [-queries FILE.jsonl[,…]] [-runs FILE] [-profile FILE]
//
// The folder is made of copies of source files in a temporary place, with a git history
// of two commits, and a tree of entries that are made of what these files say of
// themselves (entries.go). A workspace opens it as the server does. After some packs that
// nobody counts come the cases of measure.go; each time is one [contextpack.Pack].
// Processor time is this whole process's, the garbage collector's included, without the
// syntax workers'.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"runtime/pprof"
	"strings"

	"github.com/brv-lsp/brv-lsp/bench/sources"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// serverGC is how the server collects its memory (cmd/brv-lsp).
const serverGC = 50

// options are the flags of the command line.
type options struct {
	from, queries, profile, runs string
	files, entries, packs        int
	budget                       int
	git                          bool
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, readFlags()); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func readFlags() (o options) {
	flag.StringVar(&o.from, "from", "", "`folders` whose source files are copied, comma-separated")
	flag.StringVar(
		&o.queries, "queries", "", "`files` with a JSON object a line that has a query, comma-separated; none: made of the files")
	flag.IntVar(&o.files, "files", 5000, "source files")
	flag.IntVar(&o.entries, "entries", 10_000, "entries of the tree")
	flag.IntVar(&o.packs, "packs", 200, "packs in each case")
	flag.IntVar(&o.budget, "budget", 8192, "tokens of a pack")
	flag.StringVar(&o.runs, "runs", "", "add the run to `FILE`.md and FILE.jsonl.gz")
	flag.StringVar(&o.profile, "profile", "", "write a profile of processor time to a `file`")
	flag.BoolVar(&o.git, "git", true, "give the folder a history, by which entries are found stale")
	flag.Parse()
	return o
}

func run(ctx context.Context, o options) error {
	if o.from == "" {
		return fmt.Errorf("-from is needed; -help lists the flags")
	}
	dir, err := os.MkdirTemp("", "brv-pack-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	debug.SetGCPercent(serverGC)
	r, err := measured(ctx, o, dir)
	if err != nil {
		return err
	}
	fmt.Print(r.text())
	if o.runs != "" {
		return r.write(o.runs)
	}
	return nil
}

// measured makes the folder and takes all cases on it.
func measured(ctx context.Context, o options, dir string) (*report, error) {
	root := filepath.Join(dir, "folder")
	from, err := sources.Read(ctx, strings.Split(o.from, ","))
	if err != nil {
		return nil, err
	}
	if _, err := sources.Build(from, o.files, root); err != nil {
		return nil, err
	}
	if o.git {
		if err := commit(ctx, root); err != nil {
			return nil, err
		}
	}
	settings := workspace.Options{Trusted: true, Cache: filepath.Join(dir, "cache")}
	tasks, err := writeEntries(ctx, root, settings, o)
	if err != nil {
		return nil, err
	}
	if o.queries != "" {
		if tasks, err = sources.ReadQueries(strings.Split(o.queries, ",")); err != nil {
			return nil, err
		}
	}
	w, err := workspace.Open(ctx, root, settings)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if err := w.WaitCode(ctx); err != nil {
		return nil, err
	}
	m := newMeter(ctx, w, o, tasks)
	if err := m.warm(); err != nil {
		return nil, err
	}
	if o.profile != "" {
		f, err := os.Create(o.profile)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return nil, err
		}
		defer pprof.StopCPUProfile()
	}
	return m.all()
}
