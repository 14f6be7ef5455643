//go:build !race

package sampletest

// RaceSlows is 1 without the race detector.
const RaceSlows = 1
