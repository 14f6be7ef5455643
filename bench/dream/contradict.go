package main

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/brv-lsp/brv-lsp/dream/overlap"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// contradictions measures which pairs are taken to contradict each other: among the entries as they
// are, where hardly any two do, and after one number that both of a pair state was changed in one
// of the two, wherever it stands there.
func contradictions(w io.Writer, all []*format.Entry, verbose bool) {
	changed, made := withOtherNumbers(all)
	fmt.Fprintf(
		w,
		"%d entries; a number was changed in %d pairs that say the same\n\n| pairs | contradict, and are merged |\n|---|---|\n", len(all), len(made))
	var list []string
	for _, t := range []struct {
		name    string
		entries []*format.Entry
	}{{"as they are", all}, {"changed", changed}} {
		n := map[kind]int{}
		x, seen := overlap.New(t.entries), map[string]bool{}
		for _, e := range t.entries {
			for _, p := range x.Near(e.Path) {
				key := min(p.A, p.B) + " " + max(p.A, p.B)
				if seen[key] || p.Same < overlap.Merge {
					continue
				}
				seen[key] = true
				k := kindOf(p.A, p.B)
				if t.name == "changed" && (k != same || !made[pairOf(p.A)]) { // the others are as they were
					continue
				}
				found := x.Differ(p)
				if len(found) == 0 {
					continue
				}
				n[k]++
				list = append(list, fmt.Sprintf("- %s, %s, %.2f: %s %s\n  - %s\n  - %s\n", t.name, k, p.Same, p.A, p.B,
					oneLine(found[0].A), oneLine(found[0].B)))
			}
		}
		kinds := []kind{same, lookAlike, aCopy, foreign, document}
		if t.name == "changed" {
			kinds = kinds[:1]
		}
		for _, k := range kinds {
			fmt.Fprintf(w, "| %s, %s | %d |\n", t.name, k, n[k])
		}
	}
	if verbose {
		fmt.Fprint(w, "\n", strings.Join(list, ""))
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

var number = regexp.MustCompile(`\b[0-9]+\b`)

// withOtherNumbers are the entries with, in the second of each pair that says the same, the first
// number from 2 on that the first states too made thrice as much and one; made are those pairs.
func withOtherNumbers(all []*format.Entry) (out []*format.Entry, made map[string]bool) {
	bodies := map[string]string{}
	for _, e := range all {
		bodies[e.Path] = e.Body.Of(e.Text)
	}
	made = map[string]bool{}
	for _, e := range all {
		other, second := strings.CutSuffix(e.Path, "_b.md")
		if strings.Contains(e.Path, "/dup/") && second {
			for _, n := range number.FindAllString(bodies[e.Path], -1) {
				v, err := strconv.Atoi(n)
				word := regexp.MustCompile(`\b` + n + `\b`)
				if err == nil && v > 1 && word.MatchString(bodies[other+"_a.md"]) {
					e = format.Parse(e.Path, word.ReplaceAllString(e.Text, strconv.Itoa(3*v+1)))
					made[pairOf(e.Path)] = true
					break
				}
			}
		}
		out = append(out, e)
	}
	return out, made
}
