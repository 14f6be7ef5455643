//go:build !race

package secrets

// raceSlows is 1 without the race detector.
const raceSlows = 1
