package main

import (
	"iter"
	"math"
)

const (
	penalty     = 1.0  // L2, on all weights
	maxNewton   = 12   // steps; eight are usual
	leastChange = 1e-3 // of a weight, for another step
)

// row is one example of a regression.
type row struct {
	v []float32
	y bool
}

// regression fits a logistic regression of n weights by Newton's method.
func regression(n int, rows iter.Seq[row]) []float64 {
	w := make([]float64, n)
	for range maxNewton {
		gradient, hessian := derivatives(w, rows)
		step := solve(hessian, gradient)
		most := 0.0
		for i := range w {
			w[i] += step[i]
			most = max(most, math.Abs(step[i]))
		}
		if most < leastChange {
			break
		}
	}
	return w
}

// derivatives returns the gradient and the Hessian of the penalised likelihood.
func derivatives(w []float64, rows iter.Seq[row]) ([]float64, [][]float64) {
	n := len(w)
	gradient, hessian := make([]float64, n), make([][]float64, n)
	for i := range hessian {
		hessian[i] = make([]float64, n)
		hessian[i][i] = penalty
		gradient[i] = -penalty * w[i]
	}
	for r := range rows {
		p := chance(r.v, w)
		y := 0.0
		if r.y {
			y = 1
		}
		for i, v := range r.v {
			if v == 0 {
				continue
			}
			gradient[i] += (y - p) * float64(v)
			for j := range i + 1 {
				hessian[i][j] += p * (1 - p) * float64(v) * float64(r.v[j])
			}
		}
	}
	for i := range hessian {
		for j := range i {
			hessian[j][i] = hessian[i][j]
		}
	}
	return gradient, hessian
}

// solve finds x with a·x = b by Gauss's elimination; both are overwritten.
func solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	for i := range n {
		pivot := i
		for j := i + 1; j < n; j++ {
			if math.Abs(a[j][i]) > math.Abs(a[pivot][i]) {
				pivot = j
			}
		}
		a[i], a[pivot] = a[pivot], a[i]
		b[i], b[pivot] = b[pivot], b[i]
		for j := i + 1; j < n; j++ {
			f := a[j][i] / a[i][i]
			for k := i; k < n; k++ {
				a[j][k] -= f * a[i][k]
			}
			b[j] -= f * b[i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		for j := i + 1; j < n; j++ {
			b[i] -= a[i][j] * b[j]
		}
		b[i] /= a[i][i]
	}
	return b
}

// chance returns the probability that the weights w give to the example v.
func chance(v []float32, w []float64) float64 {
	sum := 0.0
	for i, x := range v {
		sum += w[i] * float64(x)
	}
	return 1 / (1 + math.Exp(-sum))
}
