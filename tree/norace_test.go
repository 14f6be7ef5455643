//go:build !race

package tree

// raceSlows is 1 without the race detector.
const raceSlows = 1
