// Command commands measures the command line on a folder that it has seen before: each verb is run some times with the cache of
// the runs before, and once each with an empty one. Of several programs the runs alternate, each with its own cache.
//
//	go run ./bench/commands -root DIR [-program BRV-LSP[,OTHER]] [-n 20] [-cold] [-runs FILE]
//
// bench/lsp --make makes a folder. Processor time is that of the whole process with its workers, memory the most that it held.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/bench/process"
)

var (
	root     = flag.String("root", "", "the folder")
	programs = flag.String("program", "", "programs, comma-separated; this module's if empty")
	n        = flag.Int("n", 20, "runs of each verb")
	cold     = flag.Bool("cold", false, "measure first runs too, with an empty cache")
	out      = flag.String("runs", "", "a file for the report")
)

// verbs are the command lines.
var verbs = [][]string{
	{"query", "how is a window created"}, {"search", "window class"}, {"symbols", "Buffer"},
	{"pack", "how does the http server close idle connections"}, {"deps", "FILE"}, {"map"}, {"status"}, {"check"},
}

func main() {
	log.SetFlags(0)
	flag.StringVar(&verbs[4][1], "file", "01-src/net/http/server.go", "the file of deps")
	flag.Parse()
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// spent is the cost of one run: seconds of the clock and of processors, and MiB.
type spent struct{ wall, cpu, memory float64 }

func run(ctx context.Context) error {
	work, err := os.MkdirTemp("", "commands")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	names := strings.Split(*programs, ",")
	if *programs == "" {
		if names[0], err = process.Build(ctx, work); err != nil {
			return err
		}
	}
	var report bytes.Buffer
	say := func(format string, args ...any) {
		fmt.Printf(format, args...)
		fmt.Fprintf(&report, format, args...)
	}
	say("%d processors, %s; medians of %d: seconds of the clock, of processors; MiB at most\n\n", runtime.NumCPU(), runtime.Version(), *n)
	for i, p := range names {
		say("program %d: %s\n", i+1, filepath.Base(p))
	}
	for i, p := range names { // map alone waits until all of the code is read
		if _, err := ask(ctx, p, filepath.Join(work, fmt.Sprint("cache", i)), []string{"map"}); err != nil {
			return err
		}
	}
	for _, verb := range verbs {
		runs := make([][]spent, len(names))
		for i, p := range names {
			cache := filepath.Join(work, fmt.Sprint("cache", i))
			for range 3 { // what the first writes the second reads, and so on
				if _, err := ask(ctx, p, cache, verb); err != nil {
					return err
				}
			}
		}
		for range *n {
			for i, p := range names {
				s, err := ask(ctx, p, filepath.Join(work, fmt.Sprint("cache", i)), verb)
				if err != nil {
					return err
				}
				runs[i] = append(runs[i], s)
			}
		}
		say("\n%s\n", strings.Join(verb, " "))
		for i := range names {
			say("  %d: %s\n", i+1, medians(runs[i]))
		}
		for i, p := range names {
			if *cold && verb[0] == "pack" {
				s, err := ask(ctx, p, filepath.Join(work, fmt.Sprint("cold", i)), verb)
				if err != nil {
					return err
				}
				say("  %d, with an empty cache: %s\n", i+1, medians([]spent{s}))
			}
		}
	}
	if *out == "" {
		return nil
	}
	return os.WriteFile(*out, report.Bytes(), 0o644)
}

// ask runs a verb once. A question that is not covered is an answer too.
func ask(ctx context.Context, program, cache string, verb []string) (s spent, err error) {
	cmd := exec.CommandContext(ctx, program, append(append([]string{}, verb...), "--root", *root)...)
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache, "XDG_CONFIG_HOME="+cache+"-config")
	began := time.Now()
	text, err := cmd.CombinedOutput()
	s.wall = time.Since(began).Seconds()
	if code := cmd.ProcessState.ExitCode(); code != 0 && code != 3 {
		return s, fmt.Errorf("%s: %w: %s", verb[0], err, text)
	}
	s.cpu = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	s.memory = process.PeakMemory(cmd.ProcessState)
	return s, nil
}

func medians(runs []spent) string {
	of := func(value func(spent) float64) float64 {
		var all []float64
		for _, s := range runs {
			all = append(all, value(s))
		}
		return process.Percentile(all, 0.5)
	}
	return fmt.Sprintf("%.3f s, %.3f s, %.0f MiB", of(func(s spent) float64 { return s.wall }), of(func(s spent) float64 { return s.cpu }),
		of(func(s spent) float64 { return s.memory }))
}
