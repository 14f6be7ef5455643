package shown

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestSubwordsAreCutAtCapitals(t *testing.T) {
	for text, want := range map[string]string{
		"parseHTTPServer":           "http parse serv",
		"refresh_tokens":            "refresh token",
		"HTTP2Server a 3abc":        "abc http serv",
		"A2 x1 getX":                "get x1",
		"operations bites Settings": "bit oper sett",
	} {
		got := slices.Sorted(maps.Keys(subwords(text)))
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// A file of 100 lines has windows at 1, 21, 41, 61 and 81. The best holds the task's word
// most often; those that overlap with it are left out.
func TestWindowsFillTheBudgetWithoutOverlap(t *testing.T) {
	var lines []string
	for n := range 100 {
		lines = append(lines, fmt.Sprintf("line %d", n+1))
	}
	lines[49], lines[52] = "crane", "crane lifts"
	files := Windows{
		"pier/a.go": {path: "pier/a.go", lines: lines, counts: subwords(strings.Join(lines, "\n")), length: 103},
		"tide/b.go": {path: "tide/b.go", lines: []string{"water"}, counts: subwords("water"), length: 1},
	}
	blocks, used := files.Pack("the crane", []int{50, 250, 4000})
	var got []string
	for n, some := range blocks {
		for _, b := range some {
			got = append(got, fmt.Sprint(n, " ", b.Path, b.Lines))
		}
		if used[n] > []int{50, 250, 4000}[n] {
			t.Errorf("%d tokens", used[n])
		}
	}
	want := []string{"0 tide/b.go[[1 1]]", "1 pier/a.go[[21 60]]", "1 tide/b.go[[1 1]]", "2 pier/a.go[[21 60]]",
		"2 pier/a.go[[61 100]]", "2 tide/b.go[[1 1]]"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
