package main

import (
	"testing"

	"github.com/brv-lsp/brv-lsp/pack"
)

func TestWhatPacksShow(t *testing.T) {
	item := func(kind pack.Kind, path string, form pack.Form, score float64) pack.Item {
		return pack.Item{Kind: kind, Path: path, Form: form, Score: score}
	}
	packs := []pack.Pack{
		{Items: []pack.Item{
			item(pack.KindEntry, "e", pack.FormPassage, .5), item(pack.KindEntry, "f", pack.FormSummary, .7),
			item(pack.KindCode, "a", pack.FormSkeleton, .9), item(pack.KindCode, "b", pack.FormOutline, .8),
		}},
		{Items: []pack.Item{item(pack.KindCode, "a", pack.FormBody, .9), item(pack.KindCode, "c", pack.FormFull, .1)}},
	}
	needs := []need{
		{Path: "a", Kind: pack.KindCode, Level: absent}, {Path: "b", Kind: pack.KindCode, Level: absent},
		{Path: "c", Kind: pack.KindCode, Level: absent}, {Path: "e", Kind: pack.KindCode, Level: absent},
		{Path: "e", Kind: pack.KindEntry, Level: absent}, {Path: "f", Kind: pack.KindEntry, Level: absent},
	}
	want := []level{shown, line, shown, absent, shown, line}
	ranks := []int{1, 2, 0, 0, 2, 1}
	for i := range needs {
		needs[i].rank(packs[0])
		for _, p := range packs {
			needs[i].look(p)
		}
		if needs[i].Level != want[i] || needs[i].Rank != ranks[i] {
			t.Errorf("%s %s: %s, rank %d, want %s, %d", needs[i].Kind, needs[i].Path, needs[i].Level, needs[i].Rank, want[i], ranks[i])
		}
	}
	r := record{Needs: needs}
	if files, entries := r.share(pack.KindCode, level.counts), r.share(pack.KindEntry, level.counts); files != .5 || entries != .5 ||
		r.cover() != .5 || r.complete() != 0 {
		t.Errorf("files %v, entries %v, both %v, all %v", files, entries, r.cover(), r.complete())
	}
	if r.Needs = needs[4:5]; r.complete() != 1 {
		t.Error("all that is needed is shown")
	}
}

func TestVerifyFindsWhatIsWrong(t *testing.T) {
	good := pack.Pack{Text: "a.go", Tokens: 2, Items: []pack.Item{{Kind: pack.KindCode, Path: "a.go"}}}
	if err := verify(good, both, 2); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{
		"over the budget": verify(good, both, 1),
		"wrong count":     verify(pack.Pack{Text: "a.go", Tokens: 1}, both, 5),
		"not in the text": verify(pack.Pack{Items: []pack.Item{{Path: "a"}}}, both, 5),
		"other kind":      verify(good, parts{knowledge: true, code: true, only: pack.KindEntry}, 5),
	} {
		if err == nil {
			t.Errorf("%s is no error", name)
		}
	}
}

func TestIntervalIsThatOfTheMean(t *testing.T) {
	if got := interval([]float64{5, 5, 5}); got != "+5.0 [+5.0, +5.0]" {
		t.Error(got)
	}
	half := make([]float64, 100) // standard error of the mean: 5
	for i := range half {
		half[i] = float64(i % 2 * 100)
	}
	if got := interval(half); got != "+50.0 [+40.0, +60.0]" {
		t.Error(got)
	}
}
