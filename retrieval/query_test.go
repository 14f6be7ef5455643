package retrieval

import (
	"math"
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
