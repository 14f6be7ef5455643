package pack

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Entries and files are compared on one scale: the chance that the task needs them. Independent signs for a
// candidate are combined like independent chances.

// entryChance are the weights of 1, of the logarithm of 1 + the rank of a hit, from 0, and of its score, for
// the chance that the task needs a hit. Values around them were tried with `go run ./bench/joint`, and those
// that cover most of both kinds were taken; half more or less of the first moves the mean by .3 to 1.2
// points.
var entryChance = [3]float64{-0.4, -1.0, 2.2}

// hitChance is the chance that the task needs the entry of a hit.
func hitChance(rank int, score float64) float64 {
	return logistic(entryChance[0] + entryChance[1]*math.Log1p(float64(rank)) + entryChance[2]*score)
}

// atGoverning is the least chance of an entry that governs the task.
const atGoverning = 0.95

// minChance is the least chance of a candidate.
const minChance = 0.03

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// excerpt is a part of a file that may be shown alone.
type excerpt struct {
	symbol *syntax.Symbol
	span   syntax.Span // whole lines
	chance float64     // that a change touches it
	tokens int         // estimated, including its overhead besides the text
	pinned bool        // the user pinned its symbol
}

// candidate is an entry or a file that may go into the pack.
type candidate struct {
	kind    Kind
	path    string
	chance  float64 // that the task needs it
	rank    int     // of a file among those that were ranked
	score   float64 // of a file, by its rank
	reasons []reason
	worth   float64 // the value of its best form
	forms   []form  // from the cheapest

	excerpts []excerpt // of a file: the excerpts in its body forms

	entry   *format.Entry
	sure    float64 // of an entry that search found: how sure search is of it
	marks   []string
	about   []string   // files that led to the entry
	behind  *candidate // an entry that contradicts it and outranks it
	sharing *candidate // a better candidate that has much of the same text,
	shared  float64    // and its share: 0–1
	pinned  bool
	governs bool // the entry decides the task
}

// reason is a sign for a candidate, with its chance.
type reason struct {
	text   string
	weight float64
}

// maxReasons is how many reasons are worth reading.
const maxReasons = 3

// reason joins the strongest reasons.
func (c *candidate) reason() string { return strings.Join(c.strongest(), "; ") }

func (c *candidate) strongest() (out []string) {
	sorted := slices.Clone(c.reasons)
	slices.SortStableFunc(sorted, func(a, b reason) int { return cmp.Compare(b.weight, a.weight) })
	for _, r := range sorted {
		if len(out) < maxReasons && r.text != "" && !slices.Contains(out, r.text) {
			out = append(out, r.text)
		}
	}
	return out
}

// add raises the chance by an independent sign.
func (c *candidate) add(chance float64, why string) {
	chance = max(0, min(chance, 1))
	c.chance = 1 - (1-c.chance)*(1-chance)
	c.reasons = append(c.reasons, reason{why, chance})
}

// atLeast raises the chance to at least the given one.
func (c *candidate) atLeast(chance float64, why string) {
	c.chance = max(c.chance, chance)
	c.reasons = append(c.reasons, reason{why, chance})
}

// effectiveRank returns the rank and the score from which [codebase.FileChance] gives the file's chance:
// those of the ranking, or equivalent ones if links and the editor changed the chance.
func (c *candidate) effectiveRank(rank int) (int, float64) {
	if c.rank >= 0 && codebase.FileChance(c.rank, c.score) == c.chance {
		return c.rank, c.score
	}
	low, high := 0.0, 1.0
	for range 12 {
		if mid := (low + high) / 2; codebase.FileChance(rank, mid) < c.chance {
			low = mid
		} else {
			high = mid
		}
	}
	return rank, math.Round(high*1000) / 1000
}

// scores collects the signs for each path of one kind.
type scores map[string]*candidate

// get returns the candidate at a path, a new one if there is none.
func (s scores) get(kind Kind, path string) *candidate {
	c := s[path]
	if c == nil {
		c = &candidate{kind: kind, path: path, rank: -1}
		s[path] = c
	}
	return c
}

func (s scores) add(kind Kind, path string, chance float64, why string) {
	s.get(kind, path).add(chance, why)
}

// best returns the candidates in order of chance, at most n.
func (s scores) best(n int) []*candidate {
	out := make([]*candidate, 0, len(s))
	for _, c := range s {
		out = append(out, c)
	}
	slices.SortFunc(out, byChance)
	return out[:min(n, len(out))]
}

func byChance(a, b *candidate) int {
	return cmp.Or(cmp.Compare(b.chance, a.chance), cmp.Compare(a.path, b.path))
}

// atPin is the chance of a candidate that the user pinned.
const atPin = 1.0

// pin makes candidates of the user's pinned items, with a higher chance than all found ones.
func pin(in Inputs, pinned []string, entries, files scores) {
	for _, path := range pinned {
		var c *candidate
		if _, ok := in.Tree.Entry(path); ok {
			c = entries.get(KindEntry, path)
		} else if _, ok := in.Code.Chunk(path); ok {
			c = files.get(KindCode, path)
		} else {
			continue
		}
		c.atLeast(atPin, "pinned")
		c.pinned, c.sure = true, 1
	}
}
