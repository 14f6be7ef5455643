//go:build race

package treetest

// RaceSlows is how many times the race detector lengthens what tests measure.
const RaceSlows = 10
