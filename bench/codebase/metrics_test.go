package main

import (
	"math"
	"testing"
)

// Three instances: two gold files at 4 and 2; one at 1 beside one that is not ranked; one
// that is not ranked at all.
func TestQualityIsAsByHand(t *testing.T) {
	records := []record{
		{Ranks: map[string][]int{"e": {4, 2}}},
		{Ranks: map[string][]int{"e": {1, 0}}},
		{Ranks: map[string][]int{"e": {0}}},
		{Ranks: map[string][]int{"other": {1}}},
	}
	want := quality{Queries: 3,
		Hit: [4]float64{1. / 3, 2. / 3, 2. / 3, 2. / 3},
		MRR: (.5 + 1) / 3,
		All: [4]float64{0, 0, 1. / 3, 1. / 3},
	}
	got := qualityOf(records, "e")
	same := got.Queries == want.Queries && near(got.MRR, want.MRR)
	for d := range depths {
		same = same && near(got.Hit[d], want.Hit[d]) && near(got.All[d], want.All[d])
	}
	if !same {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := qualityOf(nil, "e"); got != (quality{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

// Of three gold files two are shown, of five bodies three; one of two packs is too large.
func TestSharesAreOverAllFilesAndBodies(t *testing.T) {
	records := []record{
		{Packs: []packed{{Engine: "e", Budget: 1000, Tokens: 900, Shown: []bool{true, false}, Bodies: 4, Full: 2},
			{Engine: "e", Budget: 4000, Tokens: 4000}}},
		{Packs: []packed{{Engine: "e", Budget: 1000, Tokens: 1001, Shown: []bool{true}, Bodies: 1, Full: 1},
			{Engine: "f", Budget: 1000}}},
	}
	got := sharesOf(records, "e", 1000)
	if got.Queries != 2 || !near(got.Files, 2./3) || !near(got.Bodies, 3./5) || !near(got.Mean, (1./2+1)/2) || got.Any != 1 ||
		!near(got.Tokens, 950.5) || got.Over != 1 {
		t.Errorf("%+v", got)
	}
	if got := sharesOf(records, "e", 4000); got.Over != 0 || got.Queries != 1 {
		t.Errorf("a full pack is not too large: %+v", got)
	}
}

func TestCompanyIsAMeanOverOpenedFiles(t *testing.T) {
	records := []record{
		{Editing: []edited{{Engine: "e", Recall: [3]float64{0, .5, 1}, MRR: .1}, {Engine: "e", Recall: [3]float64{1, 1, 1}, MRR: 1}}},
		{Editing: []edited{{Engine: "e"}, {Engine: "f", MRR: 1}}},
	}
	got := companyOf(records, "e")
	if got.Opened != 3 || !near(got.MRR, 1.1/3) || !near(got.Recall[0], 1./3) || !near(got.Recall[1], .5) || !near(got.Recall[2], 2./3) {
		t.Errorf("%+v", got)
	}
}

// Binomial tails: of 6 even splits one side has at most 1 in (1+6)/64, at most 0 in 1/64.
func TestSignTestIsAsByHand(t *testing.T) {
	for _, c := range []struct {
		wins, losses int
		want         float64
	}{{5, 1, 14. / 64}, {1, 5, 14. / 64}, {6, 0, 2. / 64}, {3, 3, 1}, {0, 0, 1}, {1, 0, 1}} {
		if got := signTest(c.wins, c.losses); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%d to %d: %v, want %v", c.wins, c.losses, got, c.want)
		}
	}
	if got := signTest(400, 600); got > 1e-9 || got <= 0 {
		t.Errorf("400 to 600: %v", got)
	}
}

func TestGroupsSplitEveryRecord(t *testing.T) {
	records := []record{{ID: "1", Lang: "go", Mentions: "none", Repo: "b"}, {ID: "2", Lang: "go", Mentions: "path", Repo: "a"}}
	var got []string
	for _, g := range groupsOf(records) {
		got = append(got, g.By+" "+g.Name)
		for _, r := range g.records {
			got[len(got)-1] += " " + r.ID
		}
	}
	want := []string{"all all 1 2", "language go 1 2", "mentions none 1", "mentions path 2", "repository a 2", "repository b 1"}
	if len(got) != len(want) {
		t.Fatalf("%q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%q, want %q", got[i], want[i])
		}
	}
}
