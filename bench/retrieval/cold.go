package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/brv-lsp/brv-lsp/bench/process"
)

// coldRuns is the number of processes that find everything in their cache folder.
const coldRuns = 9

// coldRow holds the costs of a process that starts, answers one question and ends.
type coldRow struct {
	Set       string  `json:"set"`
	Documents int     `json:"documents"`
	Cache     string  `json:"cache"` // empty: nothing was prepared; full: by the process before
	Runs      int     `json:"runs"`
	Median    spent   `json:"median"`
	Slowest   spent   `json:"slowest"`
	PeakMB    float64 `json:"rss_peak_mb"`
}

// runCold starts the program anew for each of some questions: first with an empty
// cache folder, then with what that left there.
func runCold(ctx context.Context, c config, names []string, stdout io.Writer) error {
	dir, err := os.MkdirTemp("", "brv-bench-cold-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bin, err := process.Build(ctx, dir)
	if err != nil {
		return err
	}
	var rows []coldRow
	for _, name := range names {
		set, err := readSet(c.data, name)
		if err != nil {
			return err
		}
		root, cache := filepath.Join(dir, name), filepath.Join(dir, name+"-cache")
		if err := writeTree(set, root); err != nil {
			return err
		}
		var runs []spent
		var peaks []float64
		for i := range 1 + coldRuns {
			cost, peak, err := askOnce(ctx, bin, root, cache, set.questions[i%len(set.questions)].Text)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			runs, peaks = append(runs, cost), append(peaks, peak)
		}
		rows = append(rows, coldRowOf(set, "empty", runs[:1], peaks[:1]), coldRowOf(set, "full", runs[1:], peaks[1:]))
	}
	if c.json {
		e := json.NewEncoder(stdout)
		for _, r := range rows {
			if err := e.Encode(r); err != nil {
				return err
			}
		}
		return nil
	}
	fmt.Fprint(
		stdout,
		"| set | documents | cache | runs | median ms | cpu ms | slowest ms | cpu ms | RSS peak MB "+
			"|\n|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(stdout, "| %s | %d | %s | %d | %.0f | %.0f | %.0f | %.0f | %.0f |\n",
			r.Set, r.Documents, r.Cache, r.Runs, r.Median.Wall, r.Median.CPU, r.Slowest.Wall, r.Slowest.CPU, r.PeakMB)
	}
	return nil
}

func coldRowOf(set *dataset, cache string, runs []spent, peaks []float64) coldRow {
	slices.SortFunc(runs, func(a, b spent) int { return int(1000 * (a.Wall - b.Wall)) })
	return coldRow{Set: set.name, Documents: len(set.docs), Cache: cache, Runs: len(runs), Median: runs[len(runs)/2],
		Slowest: runs[len(runs)-1], PeakMB: slices.Max(peaks)}
}

// writeTree writes a set as a context tree.
func writeTree(set *dataset, root string) error {
	for _, e := range set.entries {
		file := filepath.Join(root, ".brv", "context-tree", filepath.FromSlash(e.Path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(e.Text()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// notCovered is the exit code of a question that the tree does not cover.
const notCovered = 3

// askOnce runs a process that answers one question.
func askOnce(ctx context.Context, bin, root, cache, question string) (spent, float64, error) {
	cmd := exec.CommandContext(ctx, bin, "query", "--json", "--root", root, "--", question)
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache)
	start := time.Now()
	out, err := cmd.Output()
	wall := time.Since(start)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == notCovered {
		err = nil
	}
	var answer struct{ Markdown string }
	if err == nil {
		err = json.Unmarshal(out, &answer)
	}
	if err == nil && answer.Markdown == "" {
		err = errors.New("no answer")
	}
	if err != nil {
		return spent{}, 0, fmt.Errorf("%q: %w", question, err)
	}
	return spent{Wall: process.Milliseconds(wall), CPU: process.Milliseconds(cmd.ProcessState.UserTime() +
		cmd.ProcessState.SystemTime())}, peakOf(cmd.ProcessState), nil
}
