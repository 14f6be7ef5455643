package words

import "testing"

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
