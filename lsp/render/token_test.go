package render

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTokenEditsAreMinimal makes random lists of tokens from one another: the edit makes
// the one of the other, and no token at its ends is the same in both.
func TestTokenEditsAreMinimal(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	list := func() []uint32 {
		var data []uint32
		for range random.IntN(6) {
			data = append(data, random.Uint32N(2), 1, 1, 0, 0)
		}
		return data
	}
	for range 2_000 {
		before, after := list(), list()
		edits := TokenEdits(before, after)
		if len(edits) == 0 {
			if !slices.Equal(before, after) {
				t.Fatalf("no edit from %v to %v", before, after)
			}
			continue
		}
		e := edits[0]
		gone := before[e.Start : e.Start+e.DeleteCount]
		got := slices.Replace(slices.Clone(before), int(e.Start), int(e.Start+e.DeleteCount), e.Data...)
		if len(edits) != 1 || !slices.Equal(got, after) {
			t.Fatalf("%v of %v makes %v, want %v", edits, before, got, after)
		}
		if n, m := len(gone), len(e.Data); n > 0 && m > 0 && (slices.Equal(gone[:tokenInts], e.Data[:tokenInts]) ||
			slices.Equal(gone[n-tokenInts:], e.Data[m-tokenInts:])) {
			t.Fatalf("%v replaces %v: an end is the same", e, gone)
		}
	}
}
