package retrieval

import (
	"math/rand/v2"
	"testing"
)

func TestTallyCountsEveryFieldByItself(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		var want [numFields]int
		var got tally
		for range r.IntN(10_000) {
			f := field(r.IntN(int(numFields)))
			if r.IntN(50) > 0 {
				f = fieldBody
			}
			got, want[f] = got.plus(f), want[f]+1
		}
		for f := range numFields {
			if n := min(want[f], 1<<tallyBits[f]-1); got.count(f) != n {
				t.Fatalf("%s: %d, want %d of %d", fieldNames[f], got.count(f), n, want[f])
			}
		}
		alone := got == 0
		for f := range numFields {
			if f == fieldBody {
				alone = alone || got.count(f) > 0
			} else if got.count(f) > 0 {
				alone = false
				break
			}
		}
		if (got <= bodyAlone) != (alone || got == 0) {
			t.Fatalf("%x: body alone %v", got, got <= bodyAlone)
		}
	}
}

func TestTallyFillsItsBits(t *testing.T) {
	bits := uint(0)
	for _, n := range tallyBits {
		bits += n
	}
	if bits != 32 || bodyAlone != 1<<tallyBits[fieldBody]-1 || tallyShift[fieldBody] != 0 {
		t.Errorf("%d bits, shifts %v", bits, tallyShift)
	}
}

// A new field without a counter, a weight or a name would be searched for nothing.
func TestEachFieldCounts(t *testing.T) {
	for f := range numFields {
		if tallyBits[f] == 0 || fieldWeights[f] == 0 || fieldLengths[f] == 0 || fieldNames[f] == "" {
			t.Errorf("field %d: %d bits, weight %v, length %v, name %q", f, tallyBits[f], fieldWeights[f], fieldLengths[f], fieldNames[f])
		}
	}
}
