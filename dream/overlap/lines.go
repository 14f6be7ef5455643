package overlap

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/retrieval/words"
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
	r := reader{x, words.Borrow()}
	defer r.close()
	a, b := r.terms(line), r.terms(other)
	have := map[uint32]bool{}
	turnsA, turnsB := 0, 0
	for _, t := range a {
		have[t.id] = true
		if t.kind == turning {
			turnsA++
		}
	}
	plainWords, both := 0, 0
	for _, t := range b {
		switch {
		case t.kind == turning:
			turnsB++
			if !have[t.id] {
				return false
			}
		case t.kind.telling():
			if !have[t.id] {
				return false
			}
		default:
			plainWords++
			if have[t.id] {
				both++
			}
		}
	}
	return len(b) > 0 && turnsA == turnsB && float64(both) >= saysEnough*float64(plainWords)
}

// Once is a text of lines without those that another of its lines says; empty lines, and lines
// of code, stay.
func Once(text string) string {
	lines := strings.Split(text, "\n")
	gone := make([]bool, len(lines))
	code := false
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
			continue
		}
		if code || strings.TrimSpace(line) == "" {
			continue
		}
		for j, other := range lines[:i] {
			if gone[j] || strings.TrimSpace(other) == "" {
				continue
			}
			if Says(other, line) {
				gone[i] = true
				break
			}
			if Says(line, other) && !strings.HasPrefix(strings.TrimSpace(other), "```") {
				gone[j] = true
			}
		}
	}
	var out []string
	for i, line := range lines {
		switch {
		case gone[i]:
		case strings.TrimSpace(line) == "" && len(out) > 0 && strings.TrimSpace(out[len(out)-1]) == "":
		default:
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}
