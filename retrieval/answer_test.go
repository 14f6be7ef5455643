package retrieval

import (
	"context"
	"strings"
	"testing"
)

func answer(t *testing.T, x *Index, text string) Answer {
	t.Helper()
	a, err := NewLadder(LadderOptions{}).Answer(t.Context(), of(x), Query{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// of is an index as something to ask.
func of(x *Index) Searchable {
	return Searchable{Snapshot: x.snap, Open: func(context.Context) (Search, error) { return x.Search, nil }}
}

func TestRuleOfDirectAnswers(t *testing.T) {
	for _, c := range []struct {
		scores []float64
		want   bool
	}{
		{nil, false},
		{[]float64{0.84}, false},
		{[]float64{0.85}, true},
		{[]float64{0.86, 0.80}, false},
		{[]float64{0.90, 0.80}, true},
		{[]float64{0.93, 0.92}, true},
	} {
		res := Result{Evidence: Evidence{About: true, Sure: true}}
		for _, s := range c.scores {
			res.Hits = append(res.Hits, Hit{Score: s})
		}
		if got, why := isDirect(res); got != c.want {
			t.Errorf("%v: %v (%s)", c.scores, got, why)
		}
		res.OutOfDomain = true
		if got, _ := isDirect(res); got {
			t.Errorf("%v: direct though out of domain", c.scores)
		}
	}
}

func TestAnswers(t *testing.T) {
	x := indexOf(t, readArchive(t, "testdata/rank.txtar").tree())
	a := answer(t, x, "token rotation")
	if a.Tier != TierDirect || !strings.Contains(a.Text, "rotateRefreshToken") ||
		!strings.Contains(a.Text, "Source: authentication/jwt_tokens/token_rotation.md") {
		t.Errorf("direct: tier %d, %s\n%s", a.Tier, a.Why, a.Text)
	}
	a = answer(t, x, "deploy runbook")
	if a.Tier != TierLoop || !strings.Contains(a.Text, "Best passages") || strings.Count(a.Text, "Runbook: build") != 2 {
		t.Errorf("two equal entries: tier %d, %s\n%s", a.Tier, a.Why, a.Text)
	}
	a = answer(t, x, "how do I bake sourdough bread")
	if a.Tier != TierDirect || !a.OutOfDomain || !strings.Contains(a.Text, "does not cover this") ||
		!strings.Contains(a.Text, "sourdough") {
		t.Errorf("foreign: %+v", a)
	}
	if a = answer(t, x, ""); a.Tier != TierDirect || len(a.Hits) != 0 {
		t.Errorf("empty: %+v", a)
	}
}

// A long answer begins with the sentence that has most of the question, not with its title or with code.
func TestALongAnswerBeginsWithItsSentence(t *testing.T) {
	body := strings.Repeat("Streams are sent in parts, each with a length of its own.\n\n", 17) +
		"```sh\nseek transcoded stream\n```\n\nTo seek in a transcoded stream, it is read again from the start.\n"
	x := indexOf(t, snapshotOf(
		"media/streams/transcoding.md", "---\ntitle: Transcoded streams\n---\n\n"+body,
		"media/library/scan.md", "---\ntitle: Scan\n---\n\nThe library is scanned each hour.\n",
	))
	const want = "To seek in a transcoded stream, it is read again from the start.\n\n**Transcoded streams**\n\nStreams are sent"
	if a := answer(t, x, "how do I seek in a transcoded stream"); a.ForReader || !strings.HasPrefix(a.Text, want) {
		t.Errorf("%s\n%s", a.Why, a.Text)
	}
}

func TestScoresFallWithTheOrder(t *testing.T) {
	x := indexOf(t, readArchive(t, "testdata/rank.txtar").tree())
	for _, q := range []string{"token", "refresh token rotation", "retry budget", "deploy", "the session of the user"} {
		last := 1.0
		for _, h := range search(t, x, Query{Text: q}).Hits {
			if h.Score > last || h.Score < 0 {
				t.Errorf("%s: %s has %v behind %v", q, h.Path, h.Score, last)
			}
			last = h.Score
		}
	}
}
