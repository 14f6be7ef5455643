package words

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestEnglishStemsAreThoseOfTheWords: english-stems.txt follows from testdata/english.txt.
func TestEnglishStemsAreThoseOfTheWords(t *testing.T) {
	list, err := os.ReadFile("testdata/english.txt")
	if err != nil {
		t.Fatal(err)
	}
	shares, stops := map[string]float64{}, 0.0
	for line := range strings.Lines(string(list)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		class, err := strconv.Atoi(words[0])
		if err != nil {
			t.Fatal(line)
		}
		share := math.Exp2(-float64(class) / 2)
		for _, w := range words[1:] {
			if s := normalise(w); s.stop {
				stops += share
			} else {
				shares[s.term] += share
			}
		}
	}
	var b strings.Builder
	for _, term := range slices.Sorted(maps.Keys(shares)) {
		fmt.Fprintf(&b, "%v %s\n", shares[term]/(1-stops), term)
	}
	if *update {
		if err := os.WriteFile("english-stems.txt", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if b.String() != englishList {
		t.Error("english-stems.txt does not follow from english.txt: write it with -update")
	}
}

func TestEnglishWords(t *testing.T) {
	if n := len(englishShare()); n < 2000 || n > 8000 {
		t.Errorf("%d stems", n)
	}
	sum := 0.0
	for _, share := range englishShare() {
		sum += share
	}
	if sum < 0.8 || sum > 1.05 {
		t.Errorf("the listed words make up %.2f of all that are no stop words", sum)
	}
	usual := func(word string) float64 { return Frequency(Stem(word)) }
	for _, order := range [][2]string{{"kubernetes", "token"}, {"token", "error"}, {"sourdough", "handshake"}} {
		if usual(order[0]) >= usual(order[1]) {
			t.Errorf("%s is not rarer than %s", order[0], order[1])
		}
	}
	if usual("sourdough") != Rarest {
		t.Error(usual("sourdough"))
	}
}
