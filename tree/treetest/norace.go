//go:build !race

package treetest

// RaceSlows is 1 without the race detector.
const RaceSlows = 1
