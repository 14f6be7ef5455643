package words

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

//go:embed english-stems.txt
var englishList string

// The frequency of a word in technical English determines how much it means that a tree has it or not. Every
// project uses "list" and "error" all the time, so their presence in a tree does not show that it covers the
// question. A word that it uses a hundred times as often as others is one of its subjects.

// Rarest is the frequency of a word that english-stems.txt does not list: half
// that of its last class. Of 0.000003 to 0.00001 tried, 5 to 7 millionths are best.
const Rarest = 6e-6

// englishShare is the share of each listed stem among running words that are not stop words. The list has a share and
// its stem in each line. A test makes it from testdata/english.txt, because stemming takes ten times as long as reading it.
var englishShare = sync.OnceValue(func() map[string]float64 {
	out := make(map[string]float64, strings.Count(englishList, "\n"))
	for line := range strings.Lines(englishList) {
		share, term, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		var err error
		if out[term], err = strconv.ParseFloat(share, 64); err != nil {
			panic("english-stems.txt: " + line) // the list is part of the program
		}
	}
	return out
})

// Frequency is a term's share in technical English among running words that are not stop words, at least
// [Rarest].
func Frequency(term string) float64 {
	return max(englishShare()[term], Rarest)
}

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

// negates reports whether an English word in lower case is a negation.
func negates(word string) bool {
	switch word {
	case "not", "no", "never", "cannot", "without", "neither":
		return true
	}
	return strings.HasSuffix(word, "n't")
}

// lowered are the words of a text in lower case, with straight apostrophes.
func lowered(text string) []string {
	return strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(text, "\u2019", "'")),
		func(r rune) bool { return r != '\'' && !unicode.IsLetter(r) })
}

// Negated reports whether a text is negated; two negations cancel each other.
func Negated(text string) (not bool) {
	for _, w := range lowered(text) {
		not = not != negates(w)
	}
	return not
}
