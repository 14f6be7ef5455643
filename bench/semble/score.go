package main

import (
	"math"
	"strings"
)

// depth is how many of the best files count.
const depth = 10

// ranksOf are the places, from 1, of the files that answer a question: for each path the
// first file that is meant by it; those that are not found are left out.
func ranksOf(ranking, targets []string) []int {
	ranks := []int{}
	for _, t := range targets {
		for i, p := range ranking {
			if samePath(p, t) {
				ranks = append(ranks, i+1)
				break
			}
		}
	}
	return ranks
}

// samePath reports whether one path is the end of the other: some annotations leave out
// the folders above.
func samePath(a, b string) bool {
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a)
}

// ndcg is the gain of the relevant files among the first ten, each discounted by the
// logarithm of its place (Järvelin and Kekäläinen 2002), as a share of the gain of an
// ideal ranking.
func ndcg(ranks []int, relevant int) float64 {
	gain, ideal := 0.0, 0.0
	var found [depth + 1]bool // two paths that mean one file count once
	for _, r := range ranks {
		if r <= depth && !found[r] {
			found[r] = true
			gain += 1 / math.Log2(float64(r)+1)
		}
	}
	for i := range min(relevant, depth) {
		ideal += 1 / math.Log2(float64(i)+2)
	}
	return gain / ideal
}
