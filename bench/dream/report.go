package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/bench/process"
	"github.com/brv-lsp/brv-lsp/dream/overlap"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// tally counts pairs of a set.
type tally struct{ dups, found, likes, wrong int }

// report writes what was found.
func report(w io.Writer, x *overlap.Index, all []*format.Entry, pairs []overlap.Pair, verbose bool) {
	sets := map[string]*tally{}
	partner := map[string]string{} // of planted entries
	copied := 0
	for _, e := range all {
		switch {
		case strings.HasPrefix(e.Path, "copies/"):
			copied++
		case strings.HasPrefix(e.Path, "planted/"):
			t := sets[setOf(e.Path)]
			if t == nil {
				t = &tally{}
				sets[setOf(e.Path)] = t
			}
			if before := partner[pairOf(e.Path)]; before == "" {
				partner[pairOf(e.Path)] = e.Path
			} else if kindOf(before, e.Path) == same {
				t.dups++
				partner[before] = e.Path
			} else {
				t.likes++
			}
		}
	}
	by := map[kind][]overlap.Pair{}
	found := map[string]bool{}
	for _, p := range pairs {
		k := kindOf(p.A, p.B)
		by[k] = append(by[k], p)
		switch k {
		case same:
			sets[setOf(p.A)].found++
			found[p.A], found[p.B] = true, true
		case lookAlike:
			sets[setOf(p.A)].wrong++
		}
	}
	fmt.Fprintf(w, "%d entries; %d merges proposed\n\n| pairs | say the same: found | look-alikes: proposed |\n|---|---|---|\n",
		len(all), len(pairs))
	var sum tally
	row := func(name string, t tally) {
		fmt.Fprintf(w, "| %s | %d of %d (%.0f %%) | %d of %d (%.0f %%) |\n", name, t.found, t.dups, percent(t.found, t.dups), t.wrong,
			t.likes, percent(t.wrong, t.likes))
	}
	for _, set := range slices.Sorted(maps.Keys(sets)) {
		t := *sets[set]
		row(set, t)
		sum = tally{sum.dups + t.dups, sum.found + t.found, sum.likes + t.likes, sum.wrong + t.wrong}
	}
	if len(sets) > 1 {
		row("all", sum)
	}
	fmt.Fprintf(w, "\nCopies found: %d of %d. Wrong among the planted beside look-alikes: %d. Proposed among the documents: %d.\n",
		len(by[aCopy]), copied, len(by[foreign]), len(by[document]))
	if !verbose {
		return
	}
	for _, k := range []kind{lookAlike, foreign, document} {
		for _, p := range by[k] {
			fmt.Fprintf(w, "- %s %.2f %s %s\n", k, p.Same, p.A, p.B)
		}
	}
	for _, a := range slices.Sorted(maps.Keys(partner)) {
		if b := partner[a]; strings.HasSuffix(a, ".md") && !found[a] {
			p, _ := x.Compare(a, b)
			fmt.Fprintf(w, "- missed %.2f %s %s\n", p.Same, a, b)
		}
	}
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }

// measureSpeed writes what reading the entries, and looking at all of them, costs. A dream that
// looks at everything does so twice.
func measureSpeed(w io.Writer, all []*format.Entry) {
	size := 0
	for _, e := range all {
		size += len(e.Text)
	}
	before := heap()
	var x *overlap.Index
	read, _ := process.Timed(func() (err error) { x, err = overlap.Read(context.Background(), all); return err })
	index := heap() - before
	compared, pairs := 0, 0
	near, _ := process.Timed(func() error {
		for _, e := range all {
			for _, p := range x.Near(e.Path) {
				compared++
				if p.Same >= overlap.Merge {
					pairs++
				}
			}
		}
		return nil
	})
	fmt.Fprintf(w, "%d entries, %.1f MB\n\n| step | processor time | by the clock |\n|---|---|---|\n", len(all), mb(size))
	fmt.Fprintf(w, "| New | %.1f s | %.1f s |\n| Near of each (%d pairs) | %.1f s | %.1f s |\n", read.CPU/1e3, read.Wall/1e3,
		compared, near.CPU/1e3, near.Wall/1e3)
	fmt.Fprintf(
		w,
		"\nIn memory beside the entries (%.1f MB): index %.1f MB, after Near %.1f MB. The whole process had %.0f MB at most, the "+
			"document set that the entries were made of among it.\n", mb(before), mb(index), mb(heap()-before),
		mb(int(process.OwnPeak())))
	runtime.KeepAlive(x)
}

// heap is how many bytes live.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func mb(bytes int) float64 { return float64(bytes) / 1e6 }
