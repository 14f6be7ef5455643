package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func ranked(id string, rank int) record {
	return record{ID: id, Ranks: map[string][]int{engineOurs: {rank}}}
}

func TestRunsAreComparedByInstance(t *testing.T) {
	a := []record{ranked("1", 1), ranked("2", 2), ranked("3", 0), ranked("4", 3)}
	b := []record{ranked("3", 4), ranked("2", 2), ranked("1", 2), ranked("5", 1)}
	all := compare(a, b)
	d := all[0]
	if d.Figure != "MRR" || d.Pairs != 3 || d.Wins != 1 || d.Losses != 1 || !slices.Equal(d.IDs, []string{"1"}) {
		t.Errorf("%+v", d)
	}
	if !near(d.A, (1+.5)/3) || !near(d.B, (.25+.5+.5)/3) || d.P != 1 {
		t.Errorf("%+v", d)
	}
	if d.Low > d.B-d.A || d.High < d.B-d.A || d.Low < -.5 || d.High > .25 {
		t.Errorf("interval %v to %v", d.Low, d.High)
	}
	if again := compare(a, b)[0]; again.Low != d.Low || again.High != d.High {
		t.Error("another interval the second time")
	}
	if same := compare(a, a)[0]; same.Low != 0 || same.High != 0 || same.Wins+same.Losses != 0 {
		t.Errorf("a run beside itself: %+v", same)
	}
	if text := comparison(all); !strings.Contains(text, "| MRR | 3 | 50.0 | 41.7 |") {
		t.Error(text)
	}
}

func TestRunsFilesGrowAndTheLastLineCounts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "runs")
	for _, rank := range []int{5, 1} {
		if err := appendLines(file, []result{{Records: []record{ranked("1", rank), ranked("2", 2)}}},
			func(r result) []record { return r.Records }); err != nil {
			t.Fatal(err)
		}
	}
	got, err := readRuns(file)
	if err != nil || len(got) != 2 || got[0].Ranks[engineOurs][0] != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if err := os.WriteFile(file, []byte("{}\n{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readRuns(file); err == nil || !strings.Contains(err.Error(), file+":2") {
		t.Errorf("error %v", err)
	}
}
