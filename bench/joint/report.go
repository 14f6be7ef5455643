package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/pack"
)

// sources returns the environment of the run and a table of the measured sets.
func sources(sets []set) string {
	var b strings.Builder
	fmt.Fprintf(
		&b,
		"%s, %d CPUs\n\n| tasks | n | repository | commit | entries written for it | files needed | entries needed "+
			"|\n|---|---|---|---|---|---|---|\n", runtime.Version(), runtime.NumCPU())
	for _, s := range sets {
		files, entries := 0, 0
		for _, t := range s.Tasks {
			files, entries = files+len(t.Need), entries+len(t.Know)
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %.10s | %d | %d | %d |\n", s.Name, len(s.Tasks), s.Repo, s.Commit, len(s.Tree), files, entries)
	}
	return b.String()
}

// tables are the figures of all archives and of each.
func tables(records []record, budgets []int) string {
	var b strings.Builder
	b.WriteString("\n")
	b.WriteString(
		"What is shown of what tasks need, in percent, as a mean over the tasks: of the files at least signatures / some lines / " +
			"only a line with the path; of the entries a passage or all / only title and summary; of both the mean; all: tasks " +
			"with everything shown\n")
	names := []string{"all"}
	for _, r := range records {
		if !slices.Contains(names, r.Set) {
			names = append(names, r.Set)
		}
	}
	for _, budget := range budgets {
		fmt.Fprintf(
			&b,
			"\n%d tokens\n\n| tasks | n | budget is spent on | files | entries | mean of both | all | mean tokens "+
				"|\n|---|---|---|---|---|---|---|---|\n", budget)
		for _, name := range names {
			for _, m := range modes {
				writeRow(&b, name, m.name, of(records, name, m.name, budget))
			}
		}
	}
	b.WriteString(
		"\nThe joint pack less another way, in points, with the 95 % interval of a paired bootstrap over the tasks; and the tasks " +
			"that it covers better : worse\n\n| tokens | less | tasks | mean of both | all | better : worse " +
			"|\n|---|---|---|---|---|---|\n")
	for _, budget := range budgets {
		for _, m := range modes[1:] {
			for _, name := range names {
				writePair(&b, budget, m.name, name, of(records, name, joint, budget), of(records, name, m.name, budget))
			}
		}
	}
	return b.String()
}

// of picks the records of one cell, in the order of the tasks.
func of(records []record, set, mode string, budget int) (out []record) {
	for _, r := range records {
		if (set == "all" || r.Set == set) && r.Mode == mode && r.Budget == budget {
			out = append(out, r)
		}
	}
	return out
}

func writeRow(b *strings.Builder, set, mode string, rs []record) {
	if len(rs) == 0 {
		return
	}
	at := func(want level) func(level) bool { return func(l level) bool { return l == want } }
	share := func(kind pack.Kind, test func(level) bool) float64 {
		return 100 * mean(rs, func(r record) float64 { return r.share(kind, test) })
	}
	fmt.Fprintf(b, "| %s | %d | %s | %.1f / %.1f / %.1f | %.1f / %.1f | %.1f | %.1f | %.0f |\n", set, len(rs), mode,
		share(pack.KindCode, level.counts), share(pack.KindCode, at(shown)), share(pack.KindCode, at(line)),
		share(pack.KindEntry, level.counts), share(pack.KindEntry, at(line)),
		100*mean(rs, record.cover), 100*mean(rs, record.complete), mean(rs, func(r record) float64 { return float64(r.Tokens) }))
}

func mean(rs []record, f func(record) float64) (sum float64) {
	for _, r := range rs {
		sum += f(r)
	}
	return sum / float64(len(rs))
}

func writePair(b *strings.Builder, budget int, mode, set string, a, z []record) {
	if len(a) != len(z) || len(a) == 0 {
		return
	}
	var cover, all []float64
	more, less := 0, 0
	for i := range a {
		d := a[i].cover() - z[i].cover()
		cover, all = append(cover, 100*d), append(all, 100*(a[i].complete()-z[i].complete()))
		switch {
		case d > 0:
			more++
		case d < 0:
			less++
		}
	}
	fmt.Fprintf(b, "| %d | %s | %s | %s | %s | %d : %d |\n", budget, mode, set, interval(cover), interval(all), more, less)
}

// resamples of a bootstrap: the ends of its interval move by some hundredths of a point.
const resamples = 10_000

// interval is the mean of differences and the interval that holds 95 % of the means of
// samples drawn from them. The draws are the same in every run.
func interval(ds []float64) string {
	random := rand.New(rand.NewPCG(1, 2))
	means := make([]float64, resamples)
	for i := range means {
		for range ds {
			means[i] += ds[random.IntN(len(ds))]
		}
		means[i] /= float64(len(ds))
	}
	slices.Sort(means)
	sum := 0.0
	for _, d := range ds {
		sum += d
	}
	return fmt.Sprintf("%+.1f [%+.1f, %+.1f]", sum/float64(len(ds)), means[resamples/40], means[resamples-resamples/40-1])
}

// missed counts the needed items that joint packs do not show, by their rank among the candidates. An item
// without a rank, or with a low one, was ranked wrong; for the others there was no room.
func missed(records []record, budgets []int) string {
	var b strings.Builder
	b.WriteString(
		"\nNot shown in joint packs, by rank among the candidates of their kind\n\n| tokens | kind | needed | not shown | no " +
			"candidate | behind the 20th | 11th to 20th | in the first 10 |\n|---|---|---|---|---|---|---|---|\n")
	for _, budget := range budgets {
		for _, kind := range []pack.Kind{pack.KindCode, pack.KindEntry} {
			var needed, none, far, near, room int
			for _, r := range of(records, "all", joint, budget) {
				for _, n := range r.Needs {
					if n.Kind != kind {
						continue
					}
					needed++
					switch {
					case n.Level.counts():
					case n.Rank == 0:
						none++
					case n.Rank > 20:
						far++
					case n.Rank > 10:
						near++
					default:
						room++
					}
				}
			}
			fmt.Fprintf(&b, "| %d | %s | %d | %d | %d | %d | %d | %d |\n", budget, kind, needed, none+far+near+room, none, far, near,
				room)
		}
	}
	return b.String()
}

// list names what joint packs do not show.
func list(records []record) string {
	var b strings.Builder
	b.WriteString("\n")
	for _, r := range records {
		for _, n := range r.Needs {
			if r.Mode == joint && !n.Level.counts() {
				fmt.Fprintf(&b, "%s/%s at %d: %s %s: %s, rank %d: %s\n", r.Set, r.Task, r.Budget, n.Kind, n.Path, n.Level, n.Rank,
					n.Reason)
			}
		}
	}
	return b.String()
}

// keep writes the tables, and the records beside them.
func keep(path, text string, records []record) (err error) {
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
	packed := gzip.NewWriter(f) // no name and no time: equal records are equal bytes
	lines := json.NewEncoder(packed)
	for _, r := range records {
		if err = lines.Encode(r); err != nil {
			break
		}
	}
	return errors.Join(err, packed.Close(), f.Close())
}
