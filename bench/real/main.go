// Command real drives the real server over three real repositories and checks
// every answer it can check by other means.
//
//	go run ./bench/real                         # this project, and Go's standard library folder net
//	go run ./bench/real -zod node_modules/zod   # and zod 4.1.12, an npm package with its TypeScript sources
//
// Writable copies of the repositories get a context tree; this project has one,
// those of the others stand in testdata/net and testdata/zod: entries written for this purpose, each of whose
// statements was checked in the source. Nothing of the repositories themselves is
// kept here. The binary is built, started as a process, and asked by a scripted
// editor (lsp/lsptest) about
//
//   - every relation: the hover shows the right entry, the definition leads to it;
//   - every entry: the references of its title are the backlinks that a plain
//     search through the files finds, no more and no fewer;
//   - every file and symbol that an entry names: hover and definition lead to
//     the file, and to the line where an own reading of the source (go/parser;
//     for TypeScript a few patterns) finds the definition;
//   - every symbol so named: a hover on it in the code shows the entry;
//   - tasks with a labelled entry and file: brv.pack keeps within its budget,
//     counted by the exact tokenizer, and how often it holds what the label says.
//
// The checks of navigation and of budgets must hold without exception; the hits
// of pack are a measurement. The labels were written from knowledge of the code
// before pack was run, and stand in tasks.go.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"time"

	"github.com/brv-lsp/brv-lsp/bench/process"
)

func main() {
	zod := flag.String("zod", "", "folder of the npm package zod "+zodVersion+"; it is skipped if empty")
	bin := flag.String("bin", "", "server binary; built from this module if empty")
	out := flag.String("out", "bench/runs", "folder for the results; none are written if empty")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ok, err := run(ctx, *zod, *bin, *out)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "real:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// run checks the repositories that are at hand; ok is whether every check held.
func run(ctx context.Context, zod, bin, out string) (ok bool, err error) {
	temp, err := os.MkdirTemp("", "real")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(temp)
	// The server's caches are not the user's own.
	if err := os.Setenv("XDG_CACHE_HOME", filepath.Join(temp, "cache")); err != nil {
		return false, err
	}
	if bin == "" {
		if bin, err = process.Build(ctx, temp); err != nil {
			return false, err
		}
	}
	all := result{Date: time.Now().UTC().Format("2006-01-02"), Machine: runtime.GOOS + "/" + runtime.GOARCH, Cores: runtime.NumCPU(),
		Go: runtime.Version()}
	for _, r := range []repository{ownRepository(ctx), netRepository(ctx), zodRepository(zod)} {
		if r.source == "" {
			all.Skipped = append(all.Skipped, r.name+": "+r.absent)
			continue
		}
		checked, err := check(ctx, bin, r, filepath.Join(temp, r.name))
		if err != nil {
			return false, fmt.Errorf("%s: %w", r.name, err)
		}
		all.Repositories = append(all.Repositories, checked)
	}
	fmt.Print(all.table())
	if out != "" {
		err = all.keep(out)
	}
	return all.passed(), err
}

// keep writes the result as JSON and as a table.
func (r *result) keep(dir string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	name := filepath.Join(dir, "real-"+r.Date)
	if err := os.WriteFile(name+".json", append(data, '\n'), 0o666); err != nil {
		return err
	}
	return os.WriteFile(name+".txt", []byte(r.table()), 0o666)
}
