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

// Two packs of 1,000 tokens, one of which is too large; three of eight sections are small.
func TestSharesAreMeansOverPacks(t *testing.T) {
	records := []record{
		{Packs: []packed{{Engine: "e", Budget: 1000, Tokens: 900, Shown: []bool{true, false}, lines: lines{Lines: .5, Any: .5},
			Functions: 4, Full: 2, Whole: 1, spent: spent{Sections: 6, Small: 2, Docs: 19}},
			{Engine: "e", Budget: 4000, Tokens: 4000}}},
		{Packs: []packed{{Engine: "e", Budget: 1000, Tokens: 1000, Shown: []bool{true}, lines: lines{Lines: 1, Any: 1, All: 1},
			spent: spent{Sections: 2, Small: 1}}, {Engine: "f", Budget: 1000}}},
	}
	got := sharesOf(records, "e", 1000)
	want := shares{Queries: 2, Tokens: 950, Lines: .75, Any: .75, All: .5, Named: .75, Full: .5, Whole: .25, asked: 1,
		Sections: 4, Small: 3. / 8, Docs: .01}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	records[0].Packs[0].Tokens, records[0].Packs[1].Tokens = 1001, 4001
	if a, b := sharesOf(records, "e", 1000), sharesOf(records, "e", 4000); a.Over != 1 || b.Over != 1 || b.Queries != 1 {
		t.Errorf("%+v, %+v", a, b)
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
