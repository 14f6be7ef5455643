package words

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
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
