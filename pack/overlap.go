package pack

import "strings"

// minShared is the share of an entry's lines that another must hold to matter, and
// minLine the letters of a line that says something.
const (
	minShared = 0.3
	minLine   = 24
)

// overlaps finds what entries say that better ones say already, line by line: an entry
// that quotes another one, or the same rule in two folders.
func overlaps(entries []*candidate) {
	holder := map[string][]int{} // lines → the entries that hold them
	for i, c := range entries {
		held := map[int]int{}
		lines := tellingLines(c.entry.Body.Of(c.entry.Text))
		for _, l := range lines {
			for _, j := range holder[l] {
				held[j]++
			}
		}
		best := -1
		for j := range i {
			if held[j] > 0 && (best < 0 || held[j] > held[best]) {
				best = j
			}
		}
		if best >= 0 {
			if share := float64(held[best]) / float64(len(lines)); share >= minShared {
				c.sharing, c.shared = entries[best], share
			}
		}
		for _, l := range lines {
			holder[l] = append(holder[l], i)
		}
	}
}

// tellingLines are the lines of a text that are long enough to say something, each once.
func tellingLines(text string) (out []string) {
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if len(line) >= minLine && !seen[line] {
			seen[line] = true
			out = append(out, line)
		}
	}
	return out
}
