package dream

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/grounding"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// likeness says how far two syntheses say the same, from 0 to 1: the share of their words that
// both have (Dice), of all they say or of title and summary alone, whichever is more. It does not
// depend on the size of the tree, as a BM25 score does (where half of the best one is reached by
// anything that has two words in common), nor on longer texts, as package overlap does, which is
// for entries.
//
// Of ten patterns, each told twice in other words, all ten reach .5; of 180 pairs of different
// ones two, with .52 at most (testdata/alike, made for this).
func likeness(a, b *format.Entry) float64 {
	head := func(e *format.Entry) string { return e.Title + "\n" + e.Summary }
	body := func(e *format.Entry) string {
		c := e.Content()
		lines := append([]string{head(e)}, c.Narrative.Texts()...)
		for _, f := range c.Facts {
			lines = append(lines, f.String())
		}
		return strings.Join(lines, "\n")
	}
	return max(dice(grounding.Telling(head(a)), grounding.Telling(head(b))), dice(grounding.Telling(body(a)), grounding.Telling(body(b))))
}

// dice is the share of words that two texts have in common.
func dice(a, b map[string]bool) float64 {
	both := 0
	for term := range a {
		if b[term] {
			both++
		}
	}
	return 2 * float64(both) / float64(max(1, len(a)+len(b)))
}
