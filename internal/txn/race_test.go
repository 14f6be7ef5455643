//go:build race

package txn_test

// underRace: the race detector makes everything ten times slower, so that the
// enumerations, which have one goroutine each, leave most points out.
const underRace = true
