package main

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestRegressionFindsTheWeightsThatMadeTheData(t *testing.T) {
	want := []float64{-1, 2, -.5}
	random := rand.New(rand.NewPCG(1, 2))
	var rows []row
	for range 20_000 {
		v := []float32{1, random.Float32(), 3 * random.Float32()}
		rows = append(rows, row{v, random.Float64() < chance(v, want)})
	}
	got := regression(len(want), func(yield func(row) bool) {
		for _, r := range rows {
			if !yield(r) {
				return
			}
		}
	})
	for i := range want {
		if math.Abs(got[i]-want[i]) > .15 {
			t.Errorf("weights %.2f, want %.2f", got, want)
		}
	}
}

func TestSolve(t *testing.T) {
	got := solve([][]float64{{0, 2}, {4, 1}}, []float64{6, 14})
	if math.Abs(got[0]-2.75) > 1e-9 || math.Abs(got[1]-3) > 1e-9 {
		t.Errorf("%v", got)
	}
}
