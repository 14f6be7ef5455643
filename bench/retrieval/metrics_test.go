package main

import (
	"math"
	"testing"
)

func TestRankingsAreRatedAsByHand(t *testing.T) {
	two := 1 + 1/math.Log2(3) // the ideal gain of two relevant documents
	relevant := map[string]map[string]bool{
		"one": {"a": true},
		"two": {"a": true, "b": true},
	}
	hits := func(ids ...string) []ranked {
		var out []ranked
		for _, id := range ids {
			out = append(out, ranked{id: id})
		}
		return out
	}
	for _, c := range []struct {
		name     string
		outcomes []outcome
		want     quality
	}{
		{"first", []outcome{{id: "one", hits: hits("a", "x")}}, quality{R1: 1, R5: 1, R10: 1, MRR: 1, NDCG: 1}},
		{"third", []outcome{{id: "one", hits: hits("x", "y", "a")}}, quality{R5: 1, R10: 1, MRR: 1.0 / 3, NDCG: 0.5}},
		{"sixth", []outcome{{id: "one", hits: hits("1", "2", "3", "4", "5", "a")}},
			quality{R10: 1, MRR: 1.0 / 6, NDCG: 1 / math.Log2(7)}},
		{"eleventh", []outcome{{id: "one", hits: hits("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "a")}}, quality{}},
		{"one of two first", []outcome{{id: "two", hits: hits("b")}}, quality{R1: 0.5, R5: 0.5, R10: 0.5, MRR: 1, NDCG: 1 / two}},
		{"both, second and fourth", []outcome{{id: "two", hits: hits("x", "b", "y", "a")}},
			quality{R5: 1, R10: 1, MRR: 0.5, NDCG: (1/math.Log2(3) + 1/math.Log2(5)) / two}},
		{"refused", []outcome{{id: "one", refused: true}}, quality{Refused: 1}},
		{"means", []outcome{
			{id: "one", hits: hits("a"), direct: true},
			{id: "one", hits: hits("x", "a"), direct: true},
			{id: "two", hits: hits("b", "a"), direct: true},
			{id: "one", refused: true},
		}, quality{R1: 1.5 / 4, R5: 0.75, R10: 0.75, MRR: 2.5 / 4, NDCG: (2 + 1/math.Log2(3)) / 4, Refused: 0.25, Direct: 0.75,
			DirectRight: 2.0 / 3}},
		{"none", nil, quality{}},
	} {
		got := qualityOf(c.outcomes, relevant)
		pairs := [][2]float64{{got.DirectRight, c.want.DirectRight}}
		for i, v := range got.shares() {
			pairs = append(pairs, [2]float64{*v, *c.want.shares()[i]})
		}
		for _, p := range pairs {
			if math.Abs(p[0]-p[1]) > 1e-9 {
				t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
				break
			}
		}
	}
}
