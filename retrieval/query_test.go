package retrieval

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestQuestions(t *testing.T) {
	for text, want := range map[string]bool{
		"What has Anna painted": true, "how to sort a list": true, "which one": true, "tokens expire when?": true,
		" who's there": true, "Does it work": true,
		"": false, "token rotation": false, "The basics": false, "in the automation doc": false, "howto": false, "issue tracking": false,
	} {
		if isQuestion(text) != want {
			t.Errorf("%q: question %v", text, !want)
		}
	}
}

func TestGeneralWordsOfQuestionsCountLess(t *testing.T) {
	x := indexOf(t, snapshotOf("a/b/two.md", "Different colours.", "a/b/three.md", "Nothing here."))
	scores := map[string]float64{}
	for _, query := range []string{"different colours", "which different colours?"} {
		for _, term := range search(t, x, Query{Text: query}).Hits[0].Why.Terms {
			scores[query+" "+term.Word] = term.Score
		}
	}
	title, question := scores["different colours different"], scores["which different colours? different"]
	if title == 0 || math.Abs(question/title-weightGeneral) > 1e-9 {
		t.Errorf("different counts %g in a title, %g in a question", title, question)
	}
	if a, b := scores["different colours colours"], scores["which different colours? colours"]; a == 0 || a != b {
		t.Errorf("colours counts %g in a title, %g in a question", a, b)
	}
}

// Of a long question the middle goes, and only of one that is too long.
func TestLongQuestionsKeepBothEnds(t *testing.T) {
	numbered := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "w%dx, ", i) // a comma: no two make a pair
		}
		return b.String()
	}
	for _, c := range []struct {
		text string
		cut  bool
		last string
	}{
		{numbered(maxWords), false, "w63x"},
		{numbered(maxWords + 1), true, "w64x"},
		{"first " + strings.Repeat("- ", maxQuery) + " last", true, "last"},
	} {
		asked, cut := parseWords(c.text)
		if cut != c.cut || len(asked) > maxWords || asked[len(asked)-1].text != c.last || !strings.HasPrefix(c.text, asked[0].text) {
			t.Errorf("%.20s…: %d words, cut %v, last %s", c.text, len(asked), cut, asked[len(asked)-1].text)
		}
	}
}
