package tokens

import (
	"os"
	"strings"
	"testing"
)

// estimateByPieces is Estimate without its shorter way over ASCII.
func estimateByPieces(s string) int {
	cost := 0
	for len(s) > 0 {
		end := nextPiece(s)
		cost += pieceCost(s[:end])
		s = s[end:]
	}
	return (cost + 50) / 100
}

// plainTexts are pieces that end in every way, before and after what is not ASCII.
var plainTexts = []string{
	"", " ", "\n", "\t", "  \n ", "\r\n\r\n x", "a\u00a0b", " \u00a0 \n", "  \u2003x",
	"word", " Word", "HTTPServer", "ABC", "A", "aB", "(word)", "((word", "\tword", "\x00a", "x\u0301", "xé", "É", " É", "Xé", "(é",
	"é(",
	"it's", "IT'LL", "we've 're", "itſ", "it'ſ", "it'ſs", "it'", "it'é", "'s", "x'sé",
	"1", "12", "1234567", "1²", "12²3", "123²", "1é", " 1", "1 2",
	"+", " +", " ++\n\n//\r", "+é", "+\u0301", " \u0301", "+/\u0301", "{}\n\u00a0", "  +", "\n+", "+\n+", "+ +",
	"\xff", "a\xff", " \xff", "+\xff", "1\xff", "\xffa", "'\xff", "\u00a0", "\ufeffpackage", "日本語", "a日", "😀", "a😀", "\u0085 \u0085",
	"\v\f x",
}

func FuzzEstimateOfPlainText(f *testing.F) {
	for _, s := range plainTexts {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := Estimate(s), estimateByPieces(s); got != want {
			t.Errorf("Estimate(%q) = %d, want %d", s, got, want)
		}
	})
}

// Sums of a whole text could hide pieces that are cut differently and cost the same.
func TestPlainPiecesAreThePieces(t *testing.T) {
	texts := append([]string{}, plainTexts...)
	for _, a := range plainTexts {
		for _, b := range plainTexts {
			texts = append(texts, a+b)
		}
	}
	for _, name := range []string{"split.go", "estimate_plain_test.go"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text), strings.ReplaceAll(string(text), "e", "é"))
	}
	plain := 0
	for _, s := range texts {
		for rest := s; rest != ""; {
			want := nextPiece(rest)
			if end, cost := plainPiece(rest); end > 0 {
				plain++
				if end != want || cost != pieceCost(rest[:want]) {
					t.Fatalf("%q in %.60q: %q costs %d, want %q for %d", rest, s, rest[:end], cost, rest[:want], pieceCost(rest[:want]))
				}
			}
			rest = rest[want:]
		}
	}
	if plain < len(texts) {
		t.Errorf("only %d pieces were plain", plain)
	}
}
