package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/bench/process"
)

// keptApart are repositories on which nothing is ever tuned: of the ten languages whose
// names have the least SHA-256, the repository whose name has the least, without those on
// whose commits the weights were fitted.
var keptApart = []string{"aiohttp", "cobra", "curl", "gson", "ktor", "monolog", "nvm", "phoenix", "tokio", "zig-clap"}

var categories = []string{"semantic", "architecture", "symbol"}

// report is a run.
type report struct {
	measured []measured
	absent   []string
}

// system is a column of the tables: an engine that was measured, or published results.
type system struct {
	name string
	// score is the NDCG@10 of a repository, for the questions of one category or, with "",
	// for all; ok is false if there are none or it was not published.
	score func(m measured, category string) (value float64, ok bool)
}

func engineOf(name string) system {
	return system{name, func(m measured, category string) (float64, bool) {
		sum, n := 0.0, 0
		for _, a := range m.answers {
			if category == "" || a.Category == category {
				sum += a.score(name)
				n++
			}
		}
		return sum / float64(max(1, n)), n > 0
	}}
}

func (p published) system() system {
	return system{p.name + " *", func(m measured, category string) (float64, bool) {
		s, ok := p.scores[m.Name]
		if category == "" {
			return s.All, ok
		}
		value, ok := s.ByCategory[category]
		return value, ok
	}}
}

// mean is the mean over repositories, each weighed; "–" where one has no score.
func (s system) mean(of []measured, category string, weight func(measured) float64) string {
	sum, n := 0.0, 0.0
	for _, m := range of {
		value, ok := s.score(m, category)
		if !ok && category == "" {
			return "–"
		}
		if ok {
			sum += weight(m) * value
			n += weight(m)
		}
	}
	if n == 0 {
		return "–"
	}
	return strings.TrimPrefix(fmt.Sprintf("%.3f", sum/n), "0")
}

func once(measured) float64 { return 1 }

// tables are the figures of a run beside the published ones.
func (r *report) tables(others []published) string {
	var systems []system
	for _, name := range engines {
		systems = append(systems, engineOf(name))
	}
	for _, p := range others {
		systems = append(systems, p.system())
	}
	var b strings.Builder
	questions := 0
	var spent []float64
	for _, m := range r.measured {
		questions += len(m.answers)
		for _, a := range m.answers {
			spent = append(spent, a.CPU)
		}
	}
	fmt.Fprintf(&b, "%s, %d CPUs; %d repositories at their pins, %d questions", runtime.Version(), runtime.NumCPU(),
		len(r.measured), questions)
	if len(r.absent) > 0 {
		fmt.Fprintf(&b, "; not at hand: %s", strings.Join(r.absent, ", "))
	}
	fmt.Fprintf(&b, "\nProcessor time of ranking with history: p50 %.2f ms, p95 %.2f ms\n", process.Percentile(spent, .5),
		process.Percentile(spent, .95))
	fmt.Fprintf(&b, "* as published with the benchmark, over the same repositories\nkept apart from tuning: %s\n",
		strings.Join(keptApart, ", "))
	r.summary(&b, systems)
	var languages [][]measured
	for _, m := range r.measured {
		at := slices.IndexFunc(languages, func(of []measured) bool { return of[0].Language == m.Language })
		if at < 0 {
			at = len(languages)
			languages = append(languages, nil)
		}
		languages[at] = append(languages[at], m)
	}
	slices.SortFunc(languages, func(a, b []measured) int { return strings.Compare(a[0].Language, b[0].Language) })
	each(&b, "language", systems, languages, func(of []measured) string { return of[0].Language })
	alone := slices.Collect(slices.Chunk(r.measured, 1))
	each(&b, "repository", systems, alone, func(of []measured) string { return of[0].Name })
	return b.String()
}

// summary is a row for each system.
func (r *report) summary(b *strings.Builder, systems []system) {
	var apart, tuned []measured
	for _, m := range r.measured {
		if slices.Contains(keptApart, m.Name) {
			apart = append(apart, m)
		} else {
			tuned = append(tuned, m)
		}
	}
	fmt.Fprintf(b, "\nNDCG@10, mean over repositories\n\n"+
		"| ranking | all | %s | mean over questions | the %d kept apart | the other %d |\n"+
		"|---|---|---|---|---|---|---|---|\n", strings.Join(categories, " | "), len(apart), len(tuned))
	for _, s := range systems {
		row := []string{s.name, s.mean(r.measured, "", once)}
		for _, c := range categories {
			row = append(row, s.mean(r.measured, c, once))
		}
		questions := func(m measured) float64 { return float64(len(m.answers)) }
		row = append(row, s.mean(r.measured, "", questions), s.mean(apart, "", once), s.mean(tuned, "", once))
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
	}
}

// each is a table with a row for each group of repositories and a column for each system.
func each(b *strings.Builder, by string, systems []system, groups [][]measured, name func([]measured) string) {
	fmt.Fprintf(b, "\nNDCG@10 by %s\n\n| %s | n |", by, by)
	for _, s := range systems {
		fmt.Fprintf(b, " %s |", s.name)
	}
	fmt.Fprintf(b, "\n|%s\n", strings.Repeat("---|", 2+len(systems)))
	for _, of := range groups {
		n := 0
		for _, m := range of {
			n += len(m.answers)
		}
		row := []string{name(of), fmt.Sprint(n)}
		for _, s := range systems {
			row = append(row, s.mean(of, "", once))
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
	}
}

// missed lists the questions that are not answered in full, and what came first instead.
func (r *report) missed() string {
	var b strings.Builder
	for _, m := range r.measured {
		for i, a := range m.answers {
			if a.score(whole) == 1 {
				continue
			}
			q := m.questions[i]
			fmt.Fprintf(&b, "\n%s %d, %s: %.3f, without history %.3f: %s\n  want %s\n  have %s\n", m.Name, i+1, q.Category,
				a.score(whole), a.score(noHistory), q.Query, strings.Join(q.targets(), " "), strings.Join(a.best[whole], " "))
		}
	}
	return b.String()
}

// keep writes the tables, and the answers beside them.
func (r *report) keep(path, text string) (err error) {
	stem, ok := strings.CutSuffix(path, ".md")
	if !ok {
		return fmt.Errorf("-runs %s: a name that ends with .md is expected", path)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		return err
	}
	f, err := os.Create(stem + ".jsonl.gz")
	if err != nil {
		return err
	}
	packed := gzip.NewWriter(f)
	lines := json.NewEncoder(packed)
	for _, m := range r.measured {
		for _, a := range m.answers {
			err = errors.Join(err, lines.Encode(a))
		}
	}
	return errors.Join(err, packed.Close(), f.Close())
}
