// Package words turns text into words and terms, the same way for entries and for questions. The index holds
// terms, and a question is looked up by its terms.
//
//	text        →  runs of letters and digits, joined by . _ - / \ : ' inside a word
//	identifier  →  its parts (retryBudget → retry, budget) and the whole (retrybudget)
//	part        →  lower case, accents folded, English stem
//	CJK         →  overlapping pairs of characters, because nothing marks words there
//	emoji       →  each by itself, without its skin and joins
//
// An identifier's whole is written without its separators, so retryBudget,
// retry_budget, retry-budget and RetryBudget are one term. Backticks, brackets
// and every other sign only end a run: code in a sentence is ordinary text.
//
// A [Scanner] reads a text. With a [Filter] of a few terms it skips the words that cannot have one of them,
// which are nearly all. [Fold] and [Stem] do to one word what a Scanner does to each.
//
// The package also has lists of English words: the stop words ([IsStop]), the frequency of words in technical
// text ([Frequency]; english.txt), and their other forms and synonyms ([Forms], [Synonyms]; synonyms.txt).
// Stemming and these lists are for English; words of other languages are only folded. No list is filled from
// a tree.
//
// The stemmer and the stop words are those of the Snowball project, Porter's second English one.
package words

import (
	"fmt"
	"strconv"
	"strings"
)

// Token is one term at its place in the text.
type Token struct {
	Term       string // it may alias the text
	Start, End int    // bytes of the text
	Stop       bool   // an English stop word
	Kind       Kind
}

// Kind tells how a term stands to the words of the text.
type Kind int

// The kinds of terms.
const (
	Plain    Kind = iota // a word, or one part of an identifier
	Name                 // an identifier as a whole: retryBudget, RETRY_BUDGET
	Compound             // words held together by - . / : as a whole: read-only, net/http
	Pair                 // two words side by side, joined as an identifier would join them
)

// Counted is a number of things in words: "1 entry", "3 entries".
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// AtMost lists the first n items, and says how many more there are.
func AtMost(items []string, n int) string {
	if len(items) <= n {
		return strings.Join(items, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(items[:n], ", "), len(items)-n)
}
