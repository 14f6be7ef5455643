package bm25

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestWordsAreIdentifiersAndTheirParts(t *testing.T) {
	for text, want := range map[string]string{
		"refreshToken":     "refresh token refreshtoken",
		"refresh_token x":  "refresh token refreshtoken",
		"parseHTTPServer2": "parse http server2 parsehttpserver2",
		"HTTP":             "http",
		"$scope, __init__": "scope init",
		"über-Größe":       "über größe",
		"a.b(c)":           "",
		"getX":             "get getx",
	} {
		if got := strings.Join(words(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := strings.Join(queryWords("Fix the parser of the Parser when using tokens"), " "); got != "parser tokens" {
		t.Errorf("query words %q", got)
	}
}

// Three files of 2, 4 and 6 words, mean 4: lift occurs in two of them, once and twice.
func TestScoresAreBM25(t *testing.T) {
	y := Index{mean: 4}
	for p, text := range map[string]string{"b": "lift on pier six", "c": "lift lift up the big crane", "a": "no word"} {
		y.documents = append(y.documents, newDocument(p, "", text))
	}
	slices.SortFunc(y.documents, func(a, b *document) int { return strings.Compare(a.path, b.path) })
	if got := y.Rank("lift"); !slices.Equal(got, []string{"c", "b"}) {
		t.Errorf("order %q", got)
	}
	idf := math.Log(1 + (3-2+.5)/(2+.5))
	one := idf * 1 * 2.2 / (1 + 1.2*(.25+.75*4/4))
	two := idf * 2 * 2.2 / (2 + 1.2*(.25+.75*6/4))
	if got := y.scores("lift"); !near(got[0], 0) || !near(got[1], one) || !near(got[2], two) {
		t.Errorf("scores %v, want 0, %v, %v", got, one, two)
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
