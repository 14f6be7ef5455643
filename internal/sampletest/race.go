//go:build race

package sampletest

// RaceSlows is how many times the race detector lengthens what tests measure.
const RaceSlows = 10
