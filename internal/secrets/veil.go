package secrets

import "strings"

// Veiled is a text of which parts can be shown without its secrets, wherever they are cut:
// a piece of a text no longer shows that the rest of its line is a password.
type Veiled struct {
	text  string
	found []Finding
}

// Veil finds the secrets of a text.
func Veil(text string) Veiled { return Veiled{text, Scan(text)} }

// Clean reports whether there are none.
func (v Veiled) Clean() bool { return len(v.found) == 0 }

// Part is a part of the text with [REDACTED:rule] for each secret that it touches. The line
// ends in a secret stay, so that lines keep their numbers.
func (v Veiled) Part(start, end int) string {
	if v.Clean() {
		return v.text[start:end]
	}
	var b strings.Builder
	for _, f := range v.found {
		from, to := max(f.At.Start, start), min(f.At.End, end)
		if from >= to {
			continue
		}
		b.WriteString(v.text[start:from] + "[REDACTED:" + f.Rule + "]" + strings.Repeat("\n", strings.Count(v.text[from:to], "\n")))
		start = to
	}
	b.WriteString(v.text[start:end])
	return b.String()
}
