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

// Once is a text of lines without those that another of its lines says. What is no text stays
// as it is: empty lines (but for those that would stand side by side where a line is gone),
// rules, and code.
func Once(text string) string {
	lines := strings.Split(text, "\n")
	said, gone := make([]bool, len(lines)), make([]bool, len(lines)) // lines of text; those that are said twice
	code := false
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			code = !code
			continue
		}
		if said[i] = !code && strings.Trim(line, "-*_=") != ""; !said[i] {
			continue
		}
		for j, other := range lines[:i] {
			if !said[j] || gone[j] {
				continue
			}
			if Says(other, line) {
				gone[i] = true
				break
			}
			gone[j] = Says(line, other)
		}
	}
	var out []string
	gap := false // a line is gone since the last one that stayed
	for i, line := range lines {
		empty := strings.TrimSpace(line) == ""
		switch {
		case gone[i]:
			gap = true
			continue
		case empty && gap && len(out) > 0 && strings.TrimSpace(out[len(out)-1]) == "":
			continue
		case !empty:
			gap = false
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}
