// Package sampletest lets an exhaustive test take a sample of its cases, another sample in each run, so that
// all of them are tried over time and no run takes long. BRV_NIGHTLY=1 takes every case, `go test -short` a
// few; a part of each kind of cases is always taken.
//
// A sample follows from the run's seed and from the name of the test. A test that takes one logs the seed,
// and BRV_SEED with that number takes the same sample again: `BRV_SEED=7 go test ./tree/store -run
// TestStoppedAnywhere`.
package sampletest

import (
	"fmt"
	"hash/fnv"
	"iter"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
)

// short is the factor by which -short reduces the cases.
const short = 5

// Long reports whether exhaustive tests take every case.
func Long() bool { return os.Getenv("BRV_NIGHTLY") == "1" }

// Count is how many cases of one kind a test makes: some in each run, a few with -short, but at least one.
func Count(each, long int) int {
	switch {
	case Long():
		return long
	case testing.Short():
		return max(each/short, 1)
	}
	return max(each, 1)
}

var seed = sync.OnceValue(func() uint64 {
	given := os.Getenv("BRV_SEED")
	if given == "" {
		return uint64(rand.Uint32())
	}
	n, err := strconv.ParseUint(given, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("BRV_SEED %q is not a number", given))
	}
	return n
})

// Seed returns a number for random cases that depends on the run and the test; 0 in a long run.
func Seed(t testing.TB) uint64 {
	t.Helper()
	if Long() {
		return 0
	}
	return source(t)
}

func source(t testing.TB) uint64 {
	t.Helper()
	h := fnv.New64a()
	_, _ = h.Write([]byte(t.Name()))
	t.Logf("a part of the cases: BRV_SEED=%d takes the same, BRV_NIGHTLY=1 takes all", seed())
	return h.Sum64() ^ seed()
}

// Rand returns random numbers that differ in each run.
func Rand(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(source(t), 0))
}

// Every reports whether the case with a number is taken: one of n consecutive ones, all in a long run.
func Every(t testing.TB, n int) func(number int) bool {
	t.Helper()
	if Long() || n <= 1 {
		return func(int) bool { return true }
	}
	if testing.Short() {
		n *= short
	}
	from := source(t)
	return func(number int) bool {
		return number%n == rand.New(rand.NewPCG(from, uint64(number/n))).IntN(n)
	}
}

// Some tells which numbers below all are taken: as many as are wanted, spread over all, at least one;
// all in a long run.
func Some(t testing.TB, wanted, all int) func(number int) bool {
	t.Helper()
	wanted = Count(wanted, all)
	if wanted >= all {
		return func(int) bool { return true }
	}
	r := Rand(t)
	taken := make(map[int]bool, wanted)
	for i := range wanted {
		from, to := i*all/wanted, (i+1)*all/wanted
		taken[from+r.IntN(to-from)] = true
	}
	return func(number int) bool { return taken[number] }
}

// Seeds are the numbers of random cases: as many of those below all as are wanted, in random order, and
// more until it is enough, if that is asked; all in a long run.
func Seeds(t testing.TB, wanted, all int, enough func() bool) iter.Seq[uint64] {
	t.Helper()
	wanted = Count(wanted, all)
	order := make([]int, all)
	if Long() {
		for i := range order {
			order[i] = i
		}
	} else {
		order = Rand(t).Perm(all)
	}
	return func(yield func(uint64) bool) {
		for i, n := range order {
			if i >= wanted && (enough == nil || enough()) || !yield(uint64(n)) {
				return
			}
		}
	}
}
