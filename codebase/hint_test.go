package codebase

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/internal/jail/jailtest"
)

// hinted is a tree whose files have nothing in common but an import.
func hinted(t *testing.T) *RepoMap {
	return scan(t, jailtest.Folder(t, map[string]string{
		"go.mod": "module m\n", "a/alpha.go": "package a\n\nimport \"m/b\"\n\nfunc Alpha() { b.Beta() }\n",
		"b/beta.go": "package b\n\nfunc Beta() {}\n", "c/gamma.go": "package c\n\nfunc Gamma() {}\n", "c/gamma_test.go": "package c\n",
	}))
}

func TestHintsAloneRank(t *testing.T) {
	m := hinted(t)
	ranked := m.Rank(Query{Offset: -1, Hints: []Hint{
		{Path: "c/gamma.go", Weight: .5, Reason: "edited just now"}, {Path: "a/alpha.go", Weight: .4, Reason: "open beside"},
		{Path: "a/alpha.go", Weight: 7, Reason: "has an error"}, {Path: "no/file.go", Weight: 1},
		{Path: "b/beta.go", Weight: math.NaN()}, {Path: "c/gamma_test.go", Weight: -1},
	}})
	got := map[string]string{}
	for _, r := range ranked {
		got[r.Path] = r.Reason
	}
	if len(ranked) != 3 || ranked[0].Path != "a/alpha.go" || got["a/alpha.go"] != "has an error" ||
		got["c/gamma.go"] != "edited just now" {
		t.Errorf("ranked %v", got)
	}
	if ranked[0].Signals[Hinted] != 1 || got["b/beta.go"] != "close to a/alpha.go" {
		t.Errorf("hint %v; what the hinted file uses: %q", ranked[0].Signals[Hinted], got["b/beta.go"])
	}
}

func TestHintsBuryNoMention(t *testing.T) {
	m := hinted(t)
	for _, words := range []string{"", " and describe it in many words" + strings.Repeat(" lorem ipsum dolor", 60)} {
		q := Query{Task: "change b/beta.go" + words, Offset: -1, Hints: []Hint{{Path: "a/alpha.go", Weight: 1},
			{Path: "c/gamma.go", Weight: 1}}}
		if ranked := m.Rank(q); ranked[0].Path != "b/beta.go" {
			t.Errorf("%s comes first", ranked[0].Path)
		}
	}
	for words := range 2 * longWords {
		if w := Interpolate(&shortWeights, &longWeights, words); w[Mention] <= hintWeight {
			t.Errorf("a task of %d words: a mention weighs %v", words, w[Mention])
		}
	}
}

// TestMovedCursorRanksAsFresh asks one map for many places, and compares with maps that
// were never asked.
func TestMovedCursorRanksAsFresh(t *testing.T) {
	m := hinted(t)
	deep := cmp.AllowUnexported(RankedSymbol{})
	for _, q := range []Query{
		{Task: "alpha beta", File: "a/alpha.go", Offset: 30}, {Task: "alpha beta", File: "a/alpha.go", Offset: 50},
		{File: "a/alpha.go", Offset: 50}, {Task: "gamma", File: "b/beta.go", Offset: -1}, {Task: "alpha beta", File: "no/file.go"},
		{Task: "alpha beta", Hints: []Hint{{Path: "b/beta.go", Weight: .3}}}, {Task: "the of"}, {},
		{Task: "alpha beta", File: "a/alpha.go", Offset: 30},
	} {
		fresh := m.WithHistory(nil)
		if got, want := m.Rank(q), fresh.Rank(q); !slices.Equal(got, want) {
			t.Errorf("%+v: %v, fresh %v", q, got, want)
		}
		for _, c := range m.Chunks() {
			text, err := m.Read(c.Path)
			if err != nil {
				t.Fatal(err)
			}
			got, want := m.RankSymbols(q, c.Path), fresh.RankSymbols(q, c.Path)
			if diff := cmp.Diff(want, got, deep); diff != "" {
				t.Errorf("%+v: symbols -fresh +moved:\n%s", q, diff)
			}
			for rank := range 2 {
				a, b := m.Excerpts(got, q, c.Path, text, rank, .5), fresh.Excerpts(want, q, c.Path, text, rank, .5)
				if diff := cmp.Diff(b, a); diff != "" {
					t.Errorf("%+v: excerpts of rank %d -fresh +moved:\n%s", q, rank, diff)
				}
			}
		}
	}
}

// endingContext ends after it was asked a number of times.
type endingContext struct {
	context.Context
	left int
}

func (c *endingContext) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestRankWithinStopsAndKeepsNothing(t *testing.T) {
	m := hinted(t)
	q := Query{Task: "alpha beta a/alpha.go", File: "a/alpha.go", Offset: 30, Hints: []Hint{{Path: "c/gamma.go", Weight: 1}}}
	want := m.WithHistory(nil).Rank(q)
	for asked := range 100 {
		fresh := m.WithHistory(nil)
		got, err := fresh.RankWithin(&endingContext{t.Context(), asked}, q)
		if err == nil {
			if asked < 10 || !slices.Equal(got, want) {
				t.Errorf("after %d looks at the context: %v, want %v", asked, got, want)
			}
			return
		}
		if !errors.Is(err, context.Canceled) || !slices.Equal(fresh.Rank(q), want) {
			t.Errorf("stopped after %d looks: %v", asked, err)
		}
	}
	t.Error("it never ends")
}
