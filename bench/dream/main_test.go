package main

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/dream/overlap"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

func TestEachSetHasFiftyPairsOfEachKind(t *testing.T) {
	for _, set := range []string{"tune", "measure"} {
		planted, err := plant([]string{set})
		if err != nil {
			t.Fatal(err)
		}
		n := map[string]int{}
		for _, e := range planted {
			n[e.Path]++
			if len(e.Problems) > 0 || strings.TrimSpace(e.Body.Of(e.Text)) == "" {
				t.Errorf("%s: %v", e.Path, e.Problems)
			}
		}
		for _, kind := range []string{"dup", "like"} {
			for i := range 50 {
				for _, side := range []string{"a", "b"} {
					if p := fmt.Sprintf("planted/%s/%s/%02d_%s.md", set, kind, i+1, side); n[p] != 1 {
						t.Errorf("%s is there %d times", p, n[p])
					}
				}
			}
		}
		if len(n) != 200 {
			t.Errorf("%s has %d entries", set, len(n))
		}
	}
}

func TestKindOf(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want kind
	}{
		{"planted/tune/dup/07_a.md", "planted/tune/dup/07_b.md", same},
		{"planted/tune/like/07_b.md", "planted/tune/like/07_a.md", lookAlike},
		{"planted/tune/like/07_b.md", "planted/tune/dup/07_a.md", foreign},
		{"planted/tune/dup/07_b.md", "planted/measure/dup/07_a.md", foreign},
		{"planted/tune/dup/07_b.md", "react/learn/state.md", foreign},
		{"react/learn/state.md", "copies/of/react__learn__state.md", aCopy},
		{"react/learn/state.md", "copies/of/react__learn__hooks.md", document},
		{"react/learn/state.md", "react/learn/hooks.md", document},
	} {
		if got := kindOf(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %s, want %s", c.a, c.b, got, c.want)
		}
	}
}

// TestTunedPairsAreToldApart holds the requirement on the set that package overlap was made on,
// without documents around it: 90 % found, 5 % wrong, nothing else.
func TestTunedPairsAreToldApart(t *testing.T) {
	planted, err := plant([]string{"tune"})
	if err != nil {
		t.Fatal(err)
	}
	n := map[kind]int{}
	x, err := overlap.Read(t.Context(), planted)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range proposed(x, planted) {
		n[kindOf(p.A, p.B)]++
	}
	if n[same] < 45 || n[lookAlike] > 2 || n[foreign] > 0 {
		t.Error(n)
	}
}

func TestCopiesLeaveOutLines(t *testing.T) {
	got := copies([]*format.Entry{format.Parse("a/b/c.md", "---\ntitle: T\n---\n1\n2\n3\n4\n5\n6\n")})
	if len(got) != 1 || got[0].Path != "copies/of/a__b__c.md" || got[0].Body.Of(got[0].Text) != "1\n2\n3\n4\n6\n" {
		t.Errorf("%+v", got[0])
	}
}

// TestNoWeightTurnsAgainstItsMeaning fits rows in which the last feature, which speaks against,
// goes with saying the same: it gets no weight.
func TestNoWeightTurnsAgainstItsMeaning(t *testing.T) {
	var rows []row
	vector := overlap.Features{}.Vector()
	n := len(vector[:]) + 1
	for i := range 40 {
		r := row{v: make([]float64, n), y: float64(i % 2), w: 1.0 / 40}
		r.v[n-1] = 1
		r.v[0] = float64((i+i/4)%2)/2 + r.y/2
		r.v[n-2] = r.y
		rows = append(rows, r)
	}
	w := logistic(rows, -1)
	if w[0] <= 0 || w[n-2] != 0 {
		t.Errorf("weights %v", w)
	}
	for _, v := range w {
		if math.IsNaN(v) {
			t.Errorf("weights %v", w)
		}
	}
}
