package words

import "math"

// What a word says about whether a question is on the theme of a text is the logarithm of how much more often the text
// uses it than technical English does, as a mixture: themeStray of the words of its own questions are not the
// text's, so that a word that it does not hold is no proof. The text's use is counted as if themePrior words of
// English were in it, since a small one shows little of what it would say. Own choices, of 0.05 to 0.35 and of 500
// to 2000, which change little.
const (
	themeStray = 0.15
	themePrior = 1000
)

// ThemeCommon is the share of the words of a text beyond which no word counts as commoner in English: the list is of code
// comments, which say "file" and "type" more often than any tree does, and a question about code is made of such
// words. Own choice, of 0.0003 to 1.
const ThemeCommon = 0.001

// Theme is the log likelihood ratio of a question's words in a text of so many words against technical English.
type Theme struct {
	Words float64 // of the text
	sum   float64
}

// Add counts a term that the text uses so often.
func (t *Theme) Add(term string, uses float64) {
	usual := min(Frequency(term), ThemeCommon)
	here := (uses + themePrior*usual) / (t.Words + themePrior)
	t.sum += math.Log((1-themeStray)*here/usual + themeStray)
}

// SignedRoot is the sum as its signed root: ten words of the theme are not ten times the proof. It is above 0 where the
// words are the text's own, below where they are everybody's, or unknown.
func (t *Theme) SignedRoot() float64 { return math.Copysign(math.Sqrt(math.Abs(t.sum)), t.sum) }
