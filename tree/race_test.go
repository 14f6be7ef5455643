//go:build race

package tree

// raceSlows is how many times the race detector lengthens what tests measure.
const raceSlows = 10
