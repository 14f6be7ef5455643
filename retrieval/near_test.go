package retrieval

import (
	"math"
	"strings"
	"testing"
)

// first is the path of the best hit.
func first(t *testing.T, x *Index, query string) string {
	t.Helper()
	hits := search(t, x, Query{Text: query}).Hits
	if len(hits) == 0 {
		return ""
	}
	return hits[0].Path
}

// In every case both entries hold the words of the query, and the same number of words.
func TestWordsCloseTogetherWin(t *testing.T) {
	const filler = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda my nu xi omicron pi rho sigma tau upsilon phi " +
		"chi psi omega "
	for _, c := range []struct{ query, near, far string }{
		{"blue cup", "The blue cup stands there. " + filler, "The blue stands there. " + filler + " cup"},
		{"cup blue", "The cup is blue today. " + filler, "The cup stands today. " + filler + " blue"},
		{"cup blue", "The blue, pale, little cup. " + filler, "Blue. " + filler + " pale little cup"},
		{"blue cup", "The blue cup or the pale dish", "The cup or the pale blue dish"},
		{"the cup of Anna", "A cup of Anna stands on the dish", "A dish of Anna stands on the cup"},
	} {
		x := indexOf(t, snapshotOf("a/b/far.md", c.far, "a/b/near.md", c.near))
		if got := first(t, x, c.query); got != "a/b/near.md" {
			t.Errorf("%s: %s comes first", c.query, got)
		}
	}
}

func TestScoresAddUp(t *testing.T) {
	a := readArchive(t, "testdata/rank.txtar")
	x := indexOf(t, a.tree())
	near, synonyms := 0, 0
	for _, q := range append(a.lines("queries"), "refresh credential folder", "wrote the tokens") {
		for _, h := range search(t, x, Query{Text: q}).Hits {
			w, bm25 := h.Why, 0.0
			for _, term := range w.Terms {
				bm25 += term.Score
				if len(term.Terms) > 1 {
					synonyms++
				}
			}
			if w.Near > 0 {
				near++
			}
			if sum := (w.BM25 + w.Title + w.Heading + w.Passage + w.Near) * w.Lifecycle; math.Abs(sum-h.Raw) > 1e-9*(1+h.Raw) {
				t.Errorf("%s: %s: parts make %g, raw is %g", q, h.Path, sum, h.Raw)
			}
			if math.Abs(bm25-w.BM25) > 1e-6*(1+bm25) {
				t.Errorf("%s: %s: terms make %g of %g", q, h.Path, bm25, w.BM25)
			}
		}
	}
	if near == 0 || synonyms == 0 {
		t.Errorf("%d hits have words close together, %d terms have other words", near, synonyms)
	}
}

func TestLongEntriesOfOneWordAreBounded(t *testing.T) {
	x := indexOf(t, snapshotOf("a/b/c.md", strings.Repeat("blue cup ", 50_000)))
	if got := first(t, x, "blue cup"); got != "a/b/c.md" {
		t.Errorf("%q comes first", got)
	}
}
