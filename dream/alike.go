package dream

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/grounding"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// likeness measures how similar two syntheses are, from 0 to 1: the share of their common words (Dice), in
// their whole texts or in title and summary alone, whichever is larger. It does not depend on the size of the
// tree, unlike a BM25 score (with which any two common words reach half of the best score), nor on longer
// texts, unlike package overlap, which is for entries.
//
// Of ten patterns, each told twice in other words, all ten reach .5; of 180 pairs of different ones two do,
// with .52 at most (testdata/alike, made for this).
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
