//go:build !race

package txn_test

const underRace = false
