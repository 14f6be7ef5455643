package main

import "math"

// observation is a case as the regression sees it: its signs, whether it is so, and what it counts.
type observation struct {
	x      []float64
	y      bool
	weight float64
}

// weights are a base and one weight for each sign.
type weights []float64

// odds is the log odds of an observation.
func (w weights) odds(x []float64) float64 {
	sum := w[0]
	for i, v := range x {
		sum += w[i+1] * v
	}
	return sum
}

// rounded are the weights as they stand in the code.
func (w weights) rounded() weights {
	out := make(weights, len(w))
	for i, v := range w {
		out[i] = math.Round(10*v) / 10
	}
	return out
}

// ridge keeps the regression finite where the signs tell everything.
const ridge = 1e-4

// regress fits a logistic regression by Newton's method: a few steps, since the
// function has one maximum.
func regress(all []observation) weights {
	n := len(all[0].x) + 1
	w := make(weights, n)
	x := make([]float64, n)
	for range 40 {
		slope, bend := make([]float64, n), make([][]float64, n)
		for i := range bend {
			bend[i] = make([]float64, n)
			bend[i][i] = ridge
			slope[i] = -ridge * w[i]
		}
		for _, s := range all {
			p := 1 / (1 + math.Exp(-w.odds(s.x)))
			x[0] = 1
			copy(x[1:], s.x)
			miss := -p
			if s.y {
				miss = 1 - p
			}
			for i := range n {
				slope[i] += s.weight * miss * x[i]
				for j := range n {
					bend[i][j] += s.weight * p * (1 - p) * x[i] * x[j]
				}
			}
		}
		step := solve(bend, slope)
		far := 0.0
		for i := range n {
			w[i] += max(-4, min(4, step[i]))
			far = max(far, math.Abs(step[i]))
		}
		if far < 1e-6 {
			break
		}
	}
	return w
}

// solve finds v with m·v = b, m being positive definite; both are used up.
func solve(m [][]float64, b []float64) []float64 {
	n := len(b)
	for i := range n {
		for j := i + 1; j < n; j++ {
			f := m[j][i] / m[i][i]
			for k := i; k < n; k++ {
				m[j][k] -= f * m[i][k]
			}
			b[j] -= f * b[i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			b[i] -= m[i][k] * b[k]
		}
		b[i] /= m[i][i]
	}
	return b
}
