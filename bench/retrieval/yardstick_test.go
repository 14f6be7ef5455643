package main

import (
	"math"
	"testing"
)

func TestYardstickScoresAsByHand(t *testing.T) {
	set, err := readSet("testdata", "kitchen")
	if err != nil {
		t.Fatal(err)
	}
	y := newYardstick(set)
	hits := y.search(question{Text: "the RYE of rye"})
	if len(hits) != 1 || hits[0].id != "k1" {
		t.Fatalf("hits %v", hits)
	}
	// "rye" stands once in each field of one document of three. The title has 2 words
	// where the mean is 5/3, the path 3 ("bread", "rye", "md") as all have. The text has
	// 10 ("is", "it", "in", "a", "at", "and", "for" are left out), the others 12 and 10.
	norm := func(n, mean float64) float64 { return 1 - normalisation + normalisation*n/mean }
	tf := 3/norm(2, 5.0/3) + 1/norm(3, 3) + 1/norm(10, 32.0/3)
	want := math.Log(1+(3-1+0.5)/(1+0.5)) * tf / (saturation + tf)
	if math.Abs(hits[0].score-want) > 1e-9 {
		t.Errorf("score %v, want %v (means %v, lengths %v)", hits[0].score, want, y.means, y.lengths)
	}
	if got := y.search(question{Text: "the of, and!"}); len(got) != 0 {
		t.Errorf("stop words find %v", got)
	}
}
