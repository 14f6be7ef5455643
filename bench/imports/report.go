package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
)

// result is the comparison of one checkout with one oracle.
type result struct {
	Repository string
	Oracle     string
	Absent     string `json:",omitempty"` // why the oracle did not answer

	Inside  int // imports that lead to mapped files, says the oracle
	Right   int // to the same files
	Wrong   int // to others
	Missed  int // nowhere
	False   int // the oracle says they lead out, the map says to a file
	Unknown int // resolved by the map where the oracle cannot say
	Share   float64

	Differences []difference
}

// difference is one import on which map and oracle disagree.
type difference struct {
	Kind, File, Spec string
	Want, Got        []string
	Reason           string
}

// place is one import; several of a file with the same specifier count once.
type place struct{ file, spec string }

// compare sets an oracle's answers against the map. Where an answer leads to
// files that are not mapped (JSON, ignored files) the import is left out.
func compare(m *codebase.RepoMap, answers []answer) result {
	want := map[place][]string{}
	unknown := map[place]bool{}
	for _, a := range answers {
		at := place{a.File, a.Spec}
		paths := mapped(m, a.Paths)
		if a.Unknown || len(a.Paths) > 0 && len(paths) == 0 {
			unknown[at] = true
		}
		want[at] = append(want[at], paths...)
	}
	got, reasons := resolved(m)
	var r result
	for _, at := range slices.SortedFunc(maps.Keys(want), comparePlaces) {
		if _, ok := m.Chunk(at.file); !ok {
			continue
		}
		w, g := distinct(want[at]), distinct(got[at])
		kind := judge(w, g, unknown[at], &r)
		if kind != "" {
			r.Differences = append(r.Differences, difference{kind, at.file, at.spec, w, g, reasons[at]})
		}
	}
	r.Share = r.share()
	return r
}

// judge counts one import and names the difference, if there is one.
func judge(want, got []string, unknown bool, r *result) string {
	switch {
	case len(want) == 0 && unknown:
		if len(got) > 0 {
			r.Unknown++
		}
		return ""
	case len(want) == 0 && len(got) > 0:
		r.False++
		return "false"
	case len(want) == 0:
		return ""
	}
	r.Inside++
	switch {
	case slices.Equal(want, got):
		r.Right++
		return ""
	case len(got) == 0:
		r.Missed++
		return "missed"
	}
	r.Wrong++
	return "wrong"
}

// resolved returns where the map's imports lead, or why nowhere.
func resolved(m *codebase.RepoMap) (paths map[place][]string, reasons map[place]string) {
	paths, reasons = map[place][]string{}, map[place]string{}
	for _, c := range m.Chunks() {
		for _, i := range c.Imports() {
			at := place{c.Path, i.Spec}
			paths[at] = append(paths[at], i.Paths...)
			reasons[at] = string(i.Reason)
		}
	}
	return paths, reasons
}

func mapped(m *codebase.RepoMap, paths []string) []string {
	var out []string
	for _, p := range paths {
		if _, ok := m.Chunk(p); ok {
			out = append(out, p)
		}
	}
	return out
}

func distinct(paths []string) []string {
	paths = slices.Clone(paths)
	slices.Sort(paths)
	return slices.Compact(paths)
}

func comparePlaces(a, b place) int {
	return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.spec, b.spec))
}

func oracleNames() []string { return slices.Sorted(maps.Keys(oracles)) }

// printResults writes the table, then the first differences of each line.
func printResults(w io.Writer, results []result, list int) {
	fmt.Fprintf(w, "%-28s %-11s %7s %7s %6s %7s %6s %8s %7s\n", "repository", "oracle", "inside", "right", "wrong", "missed", "false",
		"unknown", "share")
	for _, r := range results {
		if r.Absent != "" {
			fmt.Fprintf(w, "%-28s %-11s %s\n", r.Repository, r.Oracle, r.Absent)
			continue
		}
		r.print(w)
	}
	for _, r := range totals(results) {
		r.print(w)
	}
	for _, r := range results {
		for i, d := range r.Differences {
			if i == 0 {
				fmt.Fprintf(w, "\n%s, %s\n", r.Repository, r.Oracle)
			}
			if i == list {
				fmt.Fprintf(w, "  and %d more\n", len(r.Differences)-list)
				break
			}
			fmt.Fprintf(w, "  %-6s %s: %s\n         want %s\n         got  %s\n", d.Kind, d.File, d.Spec, orNone(d.Want, ""),
				orNone(d.Got, d.Reason))
		}
	}
}

func (r *result) print(w io.Writer) {
	fmt.Fprintf(w, "%-28s %-11s %7d %7d %6d %7d %6d %8d %6.2f%%\n", r.Repository, r.Oracle, r.Inside, r.Right, r.Wrong, r.Missed,
		r.False, r.Unknown, 100*r.Share)
}

// share is the part of the imports with a known answer inside, or a false one,
// that the map has right; 1 where there are none.
func (r *result) share() float64 {
	if all := r.Inside + r.False; all > 0 {
		return float64(r.Right) / float64(all)
	}
	return 1
}

// totals adds the results of each oracle up.
func totals(results []result) []result {
	byOracle := map[string]*result{}
	for _, r := range results {
		if r.Absent != "" {
			continue
		}
		t := byOracle[r.Oracle]
		if t == nil {
			t = &result{Repository: "all", Oracle: r.Oracle}
			byOracle[r.Oracle] = t
		}
		t.Inside, t.Right, t.Wrong = t.Inside+r.Inside, t.Right+r.Right, t.Wrong+r.Wrong
		t.Missed, t.False, t.Unknown = t.Missed+r.Missed, t.False+r.False, t.Unknown+r.Unknown
	}
	var out []result
	for _, name := range slices.Sorted(maps.Keys(byOracle)) {
		t := byOracle[name]
		t.Share = t.share()
		out = append(out, *t)
	}
	return out
}

func orNone(paths []string, reason string) string {
	if len(paths) == 0 {
		return "- " + reason
	}
	return strings.Join(paths, " ")
}
