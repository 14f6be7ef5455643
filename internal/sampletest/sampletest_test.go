package sampletest

import (
	"slices"
	"testing"
)

// numbers are those below all that are taken.
func numbers(all int, taken func(int) bool) (out []int) {
	for i := range all {
		if taken(i) {
			out = append(out, i)
		}
	}
	return out
}

func TestAPartIsSpreadAndRepeats(t *testing.T) {
	if Long() {
		t.Skip("a long run takes all")
	}
	const all = 1000
	first := numbers(all, Some(t, 50, all))
	if want := Count(50, all); len(first) != want {
		t.Errorf("%d taken, want %d", len(first), want)
	}
	for i, n := range first {
		if from, to := i*all/len(first), (i+1)*all/len(first); n < from || n >= to {
			t.Errorf("%d is not between %d and %d", n, from, to)
		}
	}
	if again := numbers(all, Some(t, 50, all)); !slices.Equal(first, again) {
		t.Errorf("%v, and again %v", first, again)
	}
	t.Run("other", func(t *testing.T) {
		if other := numbers(all, Some(t, 50, all)); slices.Equal(first, other) {
			t.Error("another test takes the same part")
		}
	})
	if few := numbers(3, Some(t, 0, 3)); len(few) != 1 {
		t.Errorf("of a kind with few cases %v are taken", few)
	}
}

func TestEveryTakesOneOfEachBlock(t *testing.T) {
	if Long() {
		t.Skip("a long run takes all")
	}
	n, every := 7, Every(t, 7)
	if testing.Short() {
		n *= short
	}
	for block := range 100 {
		taken := numbers(n, func(i int) bool { return every(block*n + i) })
		if len(taken) != 1 {
			t.Errorf("of block %d %v are taken", block, taken)
		}
	}
}

func TestSeedsGoOnUntilItIsEnough(t *testing.T) {
	if Long() {
		t.Skip("a long run takes all")
	}
	seeds := slices.Collect(Seeds(t, 10, 100, nil))
	if want := Count(10, 100); len(seeds) != want {
		t.Errorf("%d seeds, want %d", len(seeds), want)
	}
	n := 0
	for seed := range Seeds(t, 10, 100, func() bool { return n >= 30 }) {
		if n < len(seeds) && seed != seeds[n] {
			t.Errorf("seed %d is %d, and was %d", n, seed, seeds[n])
		}
		n++
	}
	if n != 30 {
		t.Errorf("%d seeds, want 30", n)
	}
}
