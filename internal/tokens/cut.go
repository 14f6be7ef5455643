package tokens

import "strings"

// Prefix is the beginning of a text, whole lines, in at most that many tokens, counted
// exactly; whole reports that it is all. A line or two more might have fit.
func (e *Encoding) Prefix(text string, most int) (prefix string, whole bool) {
	if len(text) <= most || e.Count(text) <= most { // no token is shorter than a byte
		return text, true
	}
	// A text has fewer tokens than its lines one by one: what a first cut leaves over
	// is used by a second.
	end, limit := 0, most
	for range 2 {
		next := lines(text, limit, e.Count)
		for next > end && e.Count(text[:next]) > most {
			next = 1 + strings.LastIndexByte(text[:next-1], '\n')
		}
		end = max(end, next)
		limit = limit * most / max(1, e.Count(text[:end]))
	}
	return text[:end], false
}

// lines is where the lines end that one by one have at most that many tokens.
func lines(text string, most int, count func(string) int) (end int) {
	for line := range strings.Lines(text) {
		if most -= count(line); most < 0 {
			break
		}
		end += len(line)
	}
	return end
}
