package main

// An agent or an editor asks while one file is open. Of an instance with several gold
// files each is opened in turn, with the cursor amid its first change, and the others
// are to be found.

import (
	"math"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
)

// The engines that know the open file.
const (
	editingAlone  = "open file"
	editingTask   = "open file + task"
	taskAlone     = "task"
	importGraph   = "import graph"
	sameDirectory = "same directory"

	// Of instances with more than two gold files one is a hint; the rest are sought.
	hintedTask   = "task + hint"
	unhintedTask = "task, without the hint"
)

// editingDepths are the ranks down to which other gold files are looked for.
var editingDepths = [3]int{5, 10, 20}

// edited is how well the other gold files were found from one open file.
type edited struct {
	Open   string     `json:"open"`
	Engine string     `json:"engine"`
	Recall [3]float64 `json:"recall"` // of the others, at editingDepths
	MRR    float64    `json:"mrr"`    // of the first other
}

// editing measures every engine from every gold file that is in the map.
func editing(o *ours, i instance) ([]edited, error) {
	var out []edited
	for _, open := range i.Files {
		if _, ok := o.code.Chunk(open); !ok {
			continue
		}
		text, err := o.code.Read(open)
		if err != nil {
			return nil, err
		}
		others := slices.DeleteFunc(slices.Clone(i.Files), func(p string) bool { return p == open })
		at := cursor(text, i.BaseLines[open])
		for _, r := range []struct {
			engine  string
			ranking []string
		}{
			{editingAlone, o.rankEditing("", open, at)},
			{editingTask, o.rankEditing(i.Query, open, at)},
			{taskAlone, o.rank(i.Query)},
		} {
			out = append(out, rateEditing(open, r.engine, without(r.ranking, open), others))
		}
		out = append(out, rateUnordered(open, importGraph, neighbours(o.code, open), others),
			rateUnordered(open, sameDirectory, siblings(o.code, open), others))
		if len(others) > 1 {
			out = append(out, rateEditing(open, hintedTask, without(o.rankHinted(i.Query, open), open), others),
				rateEditing(open, unhintedTask, without(o.rank(i.Query), open), others))
		}
	}
	return out, nil
}

// cursor is the middle of the first span of lines, as an offset in bytes: the beginning
// of its middle line.
func cursor(text string, spans [][2]int) int {
	if len(spans) == 0 {
		return 0
	}
	line, at := (spans[0][0]+spans[0][1])/2, 0
	for range line - 1 {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	return at
}

func without(ranking []string, path string) []string {
	return slices.DeleteFunc(slices.Clone(ranking), func(p string) bool { return p == path })
}

// neighbours are the files that a file imports and those that import it.
func neighbours(code *codebase.RepoMap, path string) []string {
	all := slices.Concat(code.Dependencies(path), code.Dependents(path))
	slices.Sort(all)
	return without(slices.Compact(all), path)
}

func siblings(code *codebase.RepoMap, path string) []string {
	var out []string
	for _, c := range code.Chunks() {
		if c.Path != path && dirOf(c.Path) == dirOf(path) {
			out = append(out, c.Path)
		}
	}
	return out
}

func dirOf(p string) string { return p[:strings.LastIndexByte(p, '/')+1] }

// rateEditing rates an ordered list.
func rateEditing(open, engine string, ranking, others []string) edited {
	e := edited{Open: open, Engine: engine}
	for at, p := range ranking {
		if !slices.Contains(others, p) {
			continue
		}
		if e.MRR == 0 {
			e.MRR = 1 / float64(at+1)
		}
		for d, depth := range editingDepths {
			if at < depth {
				e.Recall[d] += 1 / float64(len(others))
			}
		}
	}
	return e
}

// rateUnordered rates a set whose members are all alike: the mean over all orders, so
// that no order by name flatters or harms it.
func rateUnordered(open, engine string, set, others []string) edited {
	e := edited{Open: open, Engine: engine}
	found := 0
	for _, p := range set {
		if slices.Contains(others, p) {
			found++
		}
	}
	if found == 0 {
		return e
	}
	n := len(set)
	for d, depth := range editingDepths {
		e.Recall[d] = float64(found) / float64(len(others)) * math.Min(1, float64(depth)/float64(n))
	}
	e.MRR = meanReciprocal(n, found)
	return e
}

// meanReciprocal is the mean, over all orders of n things, of one over the place of the
// first of those that are sought.
func meanReciprocal(n, sought int) float64 {
	mean, none := 0.0, 1.0 // none: the chance that no earlier place holds one
	for at := 1; at <= n-sought+1; at++ {
		hit := float64(sought) / float64(n-at+1)
		mean += none * hit / float64(at)
		none *= 1 - hit
	}
	return mean
}
