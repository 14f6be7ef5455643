package overlap

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/words"
)

// saysEnough is the share of a line's plain words that another must have to say it; of the
// telling ones it must have all.
const saysEnough = 0.8

// Says reports whether a line says all that another says: the same names, numbers and turns,
// and nearly all its words.
func Says(line, other string) bool {
	if strings.TrimSpace(line) == strings.TrimSpace(other) {
		return true
	}
	x := &Index{ids: map[string]uint32{}}
	r := reader{ids: x.id, words: words.Borrow()}
	defer r.words.Return()
	a, b := r.terms(line), r.terms(other)
	have := map[uint32]bool{}
	turnsA, turnsB := 0, 0
	for _, t := range a {
		have[t.id()] = true
		if t.kind() == turning {
			turnsA++
		}
	}
	plainWords, both := 0, 0
	for _, t := range b {
		switch {
		case t.kind() == turning:
			turnsB++
			if !have[t.id()] {
				return false
			}
		case t.kind().telling():
			if !have[t.id()] {
				return false
			}
		default:
			plainWords++
			if have[t.id()] {
				both++
			}
		}
	}
	return len(b) > 0 && turnsA == turnsB && float64(both) >= saysEnough*float64(plainWords)
}
