package main

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestRegressionFindsTheWeights(t *testing.T) {
	want := weights{-1.5, 2, -0.7}
	r := rand.New(rand.NewPCG(3, 4))
	var all []observation
	for range 40_000 {
		x := []float64{r.NormFloat64(), 3 * r.Float64()}
		p := 1 / (1 + math.Exp(-want.odds(x)))
		all = append(all, observation{x, r.Float64() < p, 1 + r.Float64()})
	}
	for i, w := range regress(all) {
		if math.Abs(w-want[i]) > 0.1 {
			t.Errorf("weight %d is %.2f, want %.2f", i, w, want[i])
		}
	}
}

// A sign that tells everything has no finite weight but for the ridge.
func TestRegressionEnds(t *testing.T) {
	w := regress([]observation{{[]float64{0}, false, 1}, {[]float64{1}, true, 1}})
	if w.odds([]float64{1}) < 1 || math.IsNaN(w[0]) || math.IsInf(w[1], 0) {
		t.Error(w)
	}
}
