//go:build race

package secrets

// raceSlows is how many times the race detector lengthens what tests measure.
const raceSlows = 10
