package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/bench/process"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// report is one run.
type report struct {
	o              options
	files, entries int
	samples        []sample
}

func newReport(o options, v *workspace.View, samples []sample) *report {
	return &report{o, len(v.Code().Chunks()), len(v.Tree().Entries()), samples}
}

// of are the samples of a case, in order.
func (r *report) of(name string, deadline int) (out []sample) {
	for _, s := range r.samples {
		if s.Case == name && s.Deadline == deadline {
			out = append(out, s)
		}
	}
	return out
}

// cases are the names that have samples, in order.
func (r *report) cases(deadlines bool) (out []string) {
	for _, s := range r.samples {
		if (s.Deadline > 0) == deadlines && !slices.Contains(out, s.Case) {
			out = append(out, s.Case)
		}
	}
	return out
}

// text is the run as tables.
func (r *report) text() string {
	var b strings.Builder
	var names []string
	for dir := range strings.SplitSeq(r.o.from, ",") {
		names = append(names, filepath.Base(filepath.Dir(filepath.Clean(dir)))+"/"+filepath.Base(dir))
	}
	past := "with a history"
	if !r.o.git {
		past = "without git"
	}
	fmt.Fprintf(&b, "## %d files, %d entries, %s\n\nOf %s; packs of %d tokens; %s, %d processors, %s.\n\n", r.files, r.entries, past,
		strings.Join(names, ", "), r.o.budget, runtime.Version(), runtime.NumCPU(), time.Now().UTC().Format(time.DateOnly))
	b.WriteString("| case | packs | CPU ms p50 | p95 | max | ms p50 | p95 | max |\n|---|---|---|---|---|---|---|---|\n")
	for _, name := range r.cases(false) {
		all := r.of(name, 0)
		fmt.Fprintf(&b, "| %s | %d | %s | %s |\n", name, len(all), spread(all, func(s sample) float64 { return s.CPU }),
			spread(all, func(s sample) float64 { return s.Wall }))
	}
	b.WriteString(
		"\n| case | deadline ms | packs | ms over it p50 | p95 | max | CPU ms p50 | p95 | max | left out " +
			"|\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, name := range r.cases(true) {
		for _, ms := range deadlines {
			all := r.of(name, ms)
			if len(all) == 0 {
				continue
			}
			over := func(s sample) float64 { return s.Wall - float64(ms) }
			fmt.Fprintf(&b, "| %s | %d | %d | %s | %s | %s |\n", name, ms, len(all), spread(all, over),
				spread(all, func(s sample) float64 { return s.CPU }), lacks(all))
		}
	}
	return b.String() + "\n"
}

// spread are the median, the 95th percentile and the largest value.
func spread(all []sample, of func(sample) float64) string {
	values := make([]float64, len(all))
	for i, s := range all {
		values[i] = of(s)
	}
	return fmt.Sprintf("%.1f | %.1f | %.1f", process.Percentile(values, .5), process.Percentile(values, .95),
		process.Percentile(values, 1))
}

// lacks lists the parts that packs went without, each with the number of packs.
func lacks(all []sample) string {
	count := map[string]int{}
	for _, s := range all {
		for _, d := range s.Degraded {
			what, _, _ := strings.Cut(d, ":")
			count[what]++
		}
	}
	var out []string
	for what, n := range count {
		out = append(out, fmt.Sprintf("%s (%d)", what, n))
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

// write adds the run to a file of tables and to one of samples.
func (r *report) write(name string) error {
	old, err := os.ReadFile(name + ".md")
	if errors.Is(err, os.ErrNotExist) {
		old, err = fmt.Appendf(nil, "# Packs, %s\n\n", time.Now().UTC().Format(time.DateOnly)), nil
	}
	if err != nil {
		return err
	}
	if err := os.WriteFile(name+".md", append(old, r.text()...), 0o666); err != nil {
		return err
	}
	f, err := os.OpenFile(name+".jsonl.gz", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	z := gzip.NewWriter(f) // members of one file follow each other
	e := json.NewEncoder(z)
	for _, s := range r.samples {
		line := struct {
			Files   int `json:"files"`
			Entries int `json:"entries"`
			sample
		}{r.files, r.entries, s}
		if err := e.Encode(line); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return errors.Join(z.Close(), f.Close())
}
