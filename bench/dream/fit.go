package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/dream/overlap"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// The fit is a logistic regression in which no feature may get a weight against its meaning
// (the first five speak for saying the same, the others against it): without that, fifty pairs
// make pages that share their title's words look different. Pairs are compared in several trees,
// among documents of each set, alone, and by fours, so that no weight stands for the size of a
// tree. Pairs of documents count as not saying the same, which is nearly always right.
const (
	speakFor = 5     // features
	decay    = 0.002 // of 0.001 to 0.01 all find the same number within three
	folds    = 10
	others   = 6   // what all pairs of documents together weigh, all that say the same being 1
	plainly  = 0.5 // what all copies together weigh
	nearest  = 2   // of a document are looked at
)

// row is a pair to fit on.
type row struct {
	v    []float64 // the features, and 1
	y    float64
	w    float64
	kind kind
	fold int
}

// fitWeights writes the weights, and what is found by weights that have not seen a pair.
func fitWeights(w io.Writer, planted []*format.Entry, docs []string, entries int) error {
	rows := rowsOf(planted)
	for _, file := range docs {
		if file == "" {
			continue
		}
		all, err := among(planted, file, entries)
		if err != nil {
			return err
		}
		rows = append(rows, rowsOf(all)...)
	}
	four := map[string][]*format.Entry{}
	for _, e := range planted {
		key := numberOf(e.Path)
		four[key] = append(four[key], e)
	}
	for _, few := range four {
		rows = append(rows, rowsOf(few)...)
	}
	weigh(rows)
	scores := make([]float64, len(rows))
	for f := range folds {
		fitted := logistic(rows, f)
		for i, r := range rows {
			if r.fold == f {
				scores[i] = score(fitted, r.v)
			}
		}
	}
	curve(w, rows, scores)
	fitted := logistic(rows, -1)
	for i := range reflect.TypeFor[overlap.Features]().NumField() {
		fmt.Fprintf(w, "%s %.2f, ", reflect.TypeFor[overlap.Features]().Field(i).Name, fitted[i])
	}
	fmt.Fprintf(w, "bias %.2f\n", fitted[len(fitted)-1])
	return nil
}

// rowsOf are the pairs of a tree: those that are planted, and the nearest of each entry.
func rowsOf(all []*format.Entry) (rows []row) {
	x, _ := overlap.Read(context.Background(), all)
	seen := map[string]bool{}
	add := func(p overlap.Pair) {
		a, b := min(p.A, p.B), max(p.A, p.B)
		if seen[a+" "+b] {
			return
		}
		seen[a+" "+b] = true
		v := p.Features.Vector()
		r := row{v: append(v[:], 1), kind: kindOf(a, b), fold: foldOf(a, b)}
		if r.kind == same || r.kind == aCopy {
			r.y = 1
		}
		rows = append(rows, r)
	}
	for _, e := range all {
		if base, ok := strings.CutSuffix(e.Path, "_a.md"); ok && strings.HasPrefix(e.Path, "planted/") {
			if p, ok := x.Compare(e.Path, base+"_b.md"); ok {
				add(p)
			}
		}
		near := x.Near(e.Path)
		if !strings.HasPrefix(e.Path, "planted/") {
			near = near[:min(len(near), nearest)]
		}
		for _, p := range near {
			if p, ok := x.Compare(p.A, p.B); ok {
				add(p)
			}
		}
	}
	return rows
}

// numberOf is the set and the number of a planted pair, in which a pair that says the same and
// one of look-alikes agree.
func numberOf(p string) string { return setOf(p) + pairOf(p)[strings.LastIndexByte(pairOf(p), '/'):] }

// foldOf puts a pair into the same fold in each tree.
func foldOf(a, b string) int {
	h := fnv.New32()
	if k := kindOf(a, b); k == same || k == lookAlike {
		fmt.Fprint(h, numberOf(a))
	} else {
		fmt.Fprint(h, a, b)
	}
	return int(h.Sum32() % folds)
}

// weigh makes the kinds weigh what they shall, however many there are of each.
func weigh(rows []row) {
	n := map[kind]float64{}
	class := func(k kind) kind {
		if k == foreign {
			return document
		}
		return k
	}
	for _, r := range rows {
		n[class(r.kind)]++
	}
	for i, r := range rows {
		weight := 1.0
		switch class(r.kind) {
		case document:
			weight = others
		case aCopy:
			weight = plainly
		}
		rows[i].w = weight / n[class(r.kind)]
	}
}

func score(w, v []float64) float64 {
	z := 0.0
	for i := range v {
		z += w[i] * v[i]
	}
	return 1 / (1 + math.Exp(-z))
}

// logistic fits by Newton's method on all rows but those of a fold. A weight that would turn
// against its meaning is held at 0 as long as it wants to.
func logistic(rows []row, without int) []float64 {
	n := len(rows[0].v)
	w, held := make([]float64, n), make([]bool, n)
	for range 40 {
		g, h := slope(rows, without, w)
		for i := range n - 1 {
			if !held[i] {
				continue
			}
			if wrong := g[i] * meaning(i); wrong < -1e-4 {
				held[i] = false
				continue
			}
			for j := range n {
				h[i][j], h[j][i] = 0, 0
			}
			h[i][i], g[i] = 1, 0
		}
		step := solve(h, g)
		most := 0.0
		for _, s := range step {
			most = max(most, math.Abs(s))
		}
		for i := range w {
			w[i] -= step[i] * min(1, 5/most)
			if i < n-1 && w[i]*meaning(i) < 0 {
				w[i], held[i] = 0, true
			}
		}
		if most < 1e-5 {
			break
		}
	}
	return w
}

// meaning is the sign that a feature's weight may have.
func meaning(feature int) float64 {
	if feature < speakFor {
		return 1
	}
	return -1
}

// slope is the gradient of the loss, and its second derivatives.
func slope(rows []row, without int, w []float64) (g []float64, h [][]float64) {
	n := len(w)
	g, h = make([]float64, n), make([][]float64, n)
	for i := range h {
		h[i] = make([]float64, n)
	}
	for _, r := range rows {
		if r.fold == without {
			continue
		}
		p := score(w, r.v)
		for i, a := range r.v {
			g[i] += r.w * (p - r.y) * a
			for j := range i + 1 {
				h[i][j] += r.w * p * (1 - p) * a * r.v[j]
			}
		}
	}
	for i := range n {
		if i < n-1 {
			g[i] += decay * w[i]
			h[i][i] += decay
		}
		h[i][i] += 1e-9
		for j := range i {
			h[j][i] = h[i][j]
		}
	}
	return g, h
}

// solve solves linear equations by elimination.
func solve(m [][]float64, y []float64) []float64 {
	n := len(y)
	y = slices.Clone(y)
	for i := range n {
		best := i
		for j := i; j < n; j++ {
			if math.Abs(m[j][i]) > math.Abs(m[best][i]) {
				best = j
			}
		}
		m[i], m[best], y[i], y[best] = m[best], m[i], y[best], y[i]
		for j := i + 1; j < n; j++ {
			f := m[j][i] / m[i][i]
			for k := i; k < n; k++ {
				m[j][k] -= f * m[i][k]
			}
			y[j] -= f * y[i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			y[i] -= m[i][k] * y[k]
		}
		y[i] /= m[i][i]
	}
	return y
}

// curve writes how many pairs of each kind have at least some probability.
func curve(w io.Writer, rows []row, scores []float64) {
	n := map[kind]int{}
	for _, r := range rows {
		n[r.kind]++
	}
	fmt.Fprintf(
		w,
		"| from | say the same (%d) | copies (%d) | look-alikes (%d) | foreign (%d) | documents (%d) |\n|---|---|---|---|---|---|\n",
		n[same], n[aCopy], n[lookAlike], n[foreign], n[document])
	for at := 0.3; at < 0.96; at += 0.05 {
		from := map[kind]int{}
		for i, r := range rows {
			if scores[i] >= at {
				from[r.kind]++
			}
		}
		fmt.Fprintf(w, "| %.2f | %d | %d | %d | %d | %d |\n", at, from[same], from[aCopy], from[lookAlike], from[foreign], from[document])
	}
}
