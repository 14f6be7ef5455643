package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/brv-lsp/brv-lsp/bench/shown"
)

// record counts how much of the needed lines one pack showed.
type record struct {
	ID     string `json:"id"`
	Repo   string `json:"repo"`
	Engine string `json:"engine"`
	Budget int    `json:"budget"`
	Tokens int    `json:"tokens"`
	Files  share  `json:"files"`
	Blocks share  `json:"blocks"`
	Lines  share  `json:"lines"`
}

// share tells how much of what was shown is needed, and how much of what is needed was shown.
type share struct {
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// shareOf counts: right of what was shown, found of what is needed. Nothing shown has no precision to speak of: 0.
func shareOf(right, all, found, needed int) (s share) {
	s.Precision, s.Recall = float64(right)/float64(max(1, all)), float64(found)/float64(max(1, needed))
	if sum := s.Precision + s.Recall; sum > 0 {
		s.F1 = 2 * s.Precision * s.Recall / sum
	}
	return s
}

// lineSet holds lines by file.
type lineSet map[string]map[int]bool

func (s lineSet) add(file string, first, last int) {
	if s[file] == nil {
		s[file] = map[int]bool{}
	}
	for n := first; n <= last; n++ {
		s[file][n] = true
	}
}

// held counts the lines of a run that are in the set.
func (s lineSet) held(file string, first, last int) (n int) {
	for l := first; l <= last; l++ {
		if s[file][l] {
			n++
		}
	}
	return n
}

func (s lineSet) size() (n int) {
	for _, lines := range s {
		n += len(lines)
	}
	return n
}

func (r *record) judge(gold []label, blocks []shown.Block) {
	needed, seen := lineSet{}, lineSet{}
	for _, g := range gold {
		needed.add(g.File, g.Start, g.End)
	}
	runs, rightRuns := 0, 0
	for _, b := range blocks {
		for _, at := range b.Lines {
			seen.add(b.Path, at[0], at[1])
			if runs++; 2*needed.held(b.Path, at[0], at[1]) >= at[1]-at[0]+1 {
				rightRuns++
			}
		}
	}
	files, lines, labels := 0, 0, 0
	for file, in := range seen {
		if needed[file] != nil {
			files++
		}
		for l := range in {
			if needed[file][l] {
				lines++
			}
		}
	}
	for _, g := range gold {
		if 2*seen.held(g.File, g.Start, g.End) >= g.End-g.Start+1 {
			labels++
		}
	}
	r.Files = shareOf(files, len(seen), files, len(needed))
	r.Blocks = shareOf(rightRuns, runs, labels, len(gold))
	r.Lines = shareOf(lines, seen.size(), lines, needed.size())
}

// row prints one task.
func (r record) row() string {
	return fmt.Sprintf("%-28s %-18s %5d %5d %s %s %s", r.Repo, r.Engine, r.Budget, r.Tokens, r.Files, r.Blocks, r.Lines)
}

func (s share) String() string { return fmt.Sprintf("| %.3f %.3f %.3f", s.Precision, s.Recall, s.F1) }

// report prints the means over the tasks.
func report(out io.Writer, records []record, budgets []int) {
	fmt.Fprintln(out, "engine             budget  tasks  tokens | files: precision recall F1 | blocks | lines")
	for _, engine := range engines {
		for _, budget := range budgets {
			some := slices.DeleteFunc(slices.Clone(records), func(r record) bool { return r.Engine != engine || r.Budget != budget })
			if len(some) == 0 {
				continue
			}
			mean := func(of func(record) float64) (sum float64) {
				for _, r := range some {
					sum += of(r) / float64(len(some))
				}
				return sum
			}
			shares := func(of func(record) share) share {
				return share{mean(func(r record) float64 { return of(r).Precision }), mean(func(r record) float64 { return of(r).Recall }),
					mean(func(r record) float64 { return of(r).F1 })}
			}
			fmt.Fprintf(out, "%-18s %6d %6d %7.0f %s %s %s\n", engine, budget, len(some),
				mean(func(r record) float64 { return float64(r.Tokens) }), shares(func(r record) share { return r.Files }),
				shares(func(r record) share { return r.Blocks }), shares(func(r record) share { return r.Lines }))
		}
	}
}
