package main

import "testing"

func TestCursorIsAmidTheFirstChange(t *testing.T) {
	text := "one\ntwo\nthree\nfour\n"
	for _, c := range []struct {
		spans [][2]int
		want  int
	}{
		{nil, 0}, {[][2]int{{1, 1}}, 0}, {[][2]int{{2, 4}, {1, 1}}, 8}, {[][2]int{{3, 4}}, 8}, {[][2]int{{0, 0}}, 0},
		{[][2]int{{90, 99}}, len(text)},
	} {
		if got := cursor(text, c.spans); got != c.want {
			t.Errorf("%v: %d, want %d", c.spans, got, c.want)
		}
	}
}

func TestOrderedCompanyIsRatedByRank(t *testing.T) {
	ranking := []string{"a", "b", "c", "d", "e", "x", "f", "g", "h", "i", "y"} // x at 6, y at 11
	e := rateEditing("o", "e", ranking, []string{"x", "y", "z"})
	if e.MRR != 1./6 || e.Recall[0] != 0 || !near(e.Recall[1], 1./3) || !near(e.Recall[2], 2./3) {
		t.Errorf("%+v", e)
	}
}

func TestUnorderedCompanyIsRatedAsTheMeanOfAllOrders(t *testing.T) {
	// Of 10 alike one of two others is among them: half of the others times half the
	// places at 5; all places at 10.
	set := []string{"x", "1", "2", "3", "4", "5", "6", "7", "8", "9"}
	e := rateUnordered("o", "e", set, []string{"x", "y"})
	harmonic := 0.0
	for i := 1; i <= 10; i++ {
		harmonic += 1 / float64(i) / 10
	}
	if !near(e.Recall[0], .25) || !near(e.Recall[1], .5) || !near(e.Recall[2], .5) || !near(e.MRR, harmonic) {
		t.Errorf("%+v, MRR want %v", e, harmonic)
	}
	// Of 3 places 2 hold one: first in 2/3 of the orders, second in the rest.
	if got := meanReciprocal(3, 2); !near(got, 2./3+1./3/2) {
		t.Errorf("2 of 3: %v", got)
	}
	if got := meanReciprocal(4, 4); !near(got, 1) {
		t.Errorf("4 of 4: %v", got)
	}
	if e := rateUnordered("o", "e", nil, []string{"x"}); e.MRR != 0 || e.Recall != [3]float64{} {
		t.Errorf("of nothing: %+v", e)
	}
}
