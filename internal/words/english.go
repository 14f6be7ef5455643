package words

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
	"sync"
)

//go:embed english.txt
var englishList string

// The frequency of a word in technical English determines how much it means that a tree has it or not. Every
// project uses "list" and "error" all the time, so their presence in a tree does not show that it covers the
// question. A word that it uses a hundred times as often as others is one of its subjects.

// Rarest is the frequency of a word that english.txt does not list: half
// that of its last class. Of 0.000003 to 0.00001 tried, 5 to 7 millionths are best.
const Rarest = 6e-6

// englishShare is the share of each listed stem among running words that are not stop words.
var englishShare = sync.OnceValue(func() map[string]float64 {
	out := map[string]float64{}
	stops := 0.0
	for line := range strings.Lines(englishList) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		class, err := strconv.Atoi(words[0])
		if err != nil {
			panic("english.txt: " + line) // the list is part of the program
		}
		share := math.Exp2(-float64(class) / 2)
		for _, w := range words[1:] {
			if s := normalise(w); s.stop {
				stops += share
			} else {
				out[s.term] += share
			}
		}
	}
	for term := range out {
		out[term] /= 1 - stops
	}
	return out
})

// Frequency is a term's share in technical English among running words that are not stop words, at least
// [Rarest].
func Frequency(term string) float64 {
	return max(englishShare()[term], Rarest)
}
