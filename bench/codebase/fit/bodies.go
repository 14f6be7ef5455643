package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase"
)

// shown is a line of a bodies file: a task with the excerpts of its best files.
type shown struct {
	ID, Repo string
	Golds    int
	Files    []struct {
		Gold  bool
		Score float64
	}
	Excerpts []struct {
		F int       // file
		T int       // tokens
		Y bool      // changed
		V []float32 // signals
	}
	Changes []struct {
		In map[int]float64 // the share of its lines, by excerpt
	}
}

func readShown(file string) ([]*shown, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []*shown
	lines := json.NewDecoder(bufio.NewReaderSize(f, 1<<20))
	for lines.More() {
		var s shown
		if err := lines.Decode(&s); err != nil {
			return nil, fmt.Errorf("%s: task %d: %w", file, len(out)+1, err)
		}
		for _, x := range s.Excerpts {
			if len(x.V) != len(codebase.ExcerptSignals{}) {
				return nil, fmt.Errorf("%s: task %d: %d signals, not %d: made by another version", file, len(out)+1, len(x.V),
					len(codebase.ExcerptSignals{}))
			}
		}
		out = append(out, &s)
	}
	return out, nil
}

// signalNames has a name for each [codebase.ExcerptSignal].
var signalNames = [len(codebase.ExcerptSignals{})]string{
	"One", "FileRank", "FileScore", "FileMention", "FileVote", "FileRecency", "FilePath", "FileSize", "Symbols",
	"TextOfAll", "TextOfFile", "NameMatch", "NameRare", "NameSpelled", "ContainerMatch", "Beside", "Size",
	"IsMethod", "IsType", "IsValue", "IsPiece", "IsHead", "IsHolder", "PieceNumber",
	"PieceOfAll", "IsLoose", "HasImport", "TextRank", "IsTest",
}

// fitBodies finds the weights of an excerpt's chance and of a file's, and measures them
// on repositories that they were not fitted on.
func fitBodies(file string, out io.Writer) error {
	all, err := readShown(file)
	if err != nil {
		return err
	}
	present := codebase.ChanceWeights()
	fmt.Fprintf(out, "%d tasks\nchanged lines shown in %d tokens, mean over tasks, in percent\n%-24s %15s %15s %15s\n", len(all),
		simulated, "left out", "present", "left-out", "all")
	fitted := logistic(all, "")
	var sums [3]found
	for _, repo := range repositoriesOf(all) {
		fmt.Fprintf(out, "%-24s", repo)
		for i, w := range [][]float64{present[:], logistic(all, repo), fitted} {
			f := simulate(all, repo, w)
			sums[i].add(f)
			fmt.Fprintf(out, " %15s", f)
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "%-24s", "all")
	for _, f := range sums {
		fmt.Fprintf(out, " %15s", f)
	}
	fmt.Fprintf(out, "\n\n")
	for i, w := range fitted {
		fmt.Fprintf(out, "%s: %.3g, ", signalNames[i], w)
	}
	fmt.Fprintf(out, "\nfile: %.3g\n", fileWeights(all))
	return nil
}

// fileWeights fits the chance that a file is changed, by its rank and score.
func fileWeights(all []*shown) []float64 {
	var rows []row
	for _, s := range all {
		for rank, f := range s.Files {
			rows = append(rows, row{[]float32{1, float32(math.Log1p(float64(rank))), float32(f.Score)}, f.Gold})
		}
	}
	return regression(3, func(yield func(row) bool) {
		for _, r := range rows {
			if !yield(r) {
				return
			}
		}
	})
}

func repositoriesOf(all []*shown) []string {
	var out []string
	for _, s := range all {
		if !slices.Contains(out, s.Repo) {
			out = append(out, s.Repo)
		}
	}
	slices.Sort(out)
	return out
}

// found sums up the changed lines that were shown.
type found struct {
	tasks int
	share float64 // sum over the tasks
}

func (f *found) add(g found) {
	f.tasks += g.tasks
	f.share += g.share
}

func (f found) String() string { return fmt.Sprintf("%.1f", 100*f.share/float64(max(1, f.tasks))) }

// What a pack of 4,096 tokens has for excerpts, and what they cost beside their text:
// a heading per file, line numbers and an elision per excerpt.
const (
	simulated  = 3000
	perFile    = 25
	perExcerpt = 7
)

// simulate fills packs by chance per token.
func simulate(all []*shown, repo string, w []float64) (f found) {
	for _, s := range all {
		if s.Repo != repo || len(s.Changes) == 0 {
			continue
		}
		order := make([]int, len(s.Excerpts))
		density := make([]float64, len(s.Excerpts))
		for i, x := range s.Excerpts {
			order[i] = i
			density[i] = chance(x.V, w) / float64(x.T+perExcerpt)
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(density[b], density[a]) })
		left := simulated
		in := make([]bool, len(s.Excerpts))
		opened := make([]bool, len(s.Files))
		for _, i := range order {
			price := s.Excerpts[i].T + perExcerpt
			if !opened[s.Excerpts[i].F] {
				price += perFile
			}
			if price <= left {
				left -= price
				in[i], opened[s.Excerpts[i].F] = true, true
			}
		}
		share := 0.0
		for _, c := range s.Changes {
			for i, part := range c.In {
				if in[i] {
					share += part
				}
			}
		}
		f.add(found{1, share / float64(len(s.Changes))})
	}
	return f
}

// logistic fits the chance of an excerpt on all repositories but one.
func logistic(all []*shown, without string) []float64 {
	return regression(len(codebase.ExcerptSignals{}), func(yield func(row) bool) {
		for _, s := range all {
			if s.Repo == without {
				continue
			}
			for _, x := range s.Excerpts {
				if !yield(row{x.V, x.Y}) {
					return
				}
			}
		}
	})
}
