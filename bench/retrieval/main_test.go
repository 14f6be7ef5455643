package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// measured runs the program and reads its JSON lines.
func measured[R any](t *testing.T, c config) []R {
	t.Helper()
	var out bytes.Buffer
	c.json = true
	if err := run(t.Context(), c, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	var rows []R
	lines := json.NewDecoder(&out)
	for lines.More() {
		var r R
		if err := lines.Decode(&r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// near compares what is printed.
func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestSmallSetsAreMeasuredAsByHand(t *testing.T) {
	runs := t.TempDir()
	out := filepath.Join(t.TempDir(), "rows.jsonl")
	markdown := filepath.Join(t.TempDir(), "rows.md")
	rows := measured[Row](t, config{data: "testdata", runs: runs, out: out, markdown: markdown, quarter: "harbour"})
	type key struct{ set, scope, engine string }
	got := map[key]Row{}
	for _, r := range rows {
		got[key{r.Set, r.Scope, r.Engine}] = r
	}
	const part = "harbour (a quarter of the queries)"
	// In its own part q4 has one of its two documents and q9 none; of kitchen's c5 one
	// of two is no document at all. Numbers divisible by four have q4 and q8.
	two := 1 / (1 + 1/math.Log2(3))
	for k, want := range map[key]quality{
		{"harbour", "global", ""}: {R1: 3.5 / 4, R5: 1, R10: 1, MRR: 1, NDCG: 1},
		{"harbour", "scoped", ""}: {R1: 2.5 / 4, R5: 2.5 / 4, R10: 2.5 / 4, MRR: 3.0 / 4, NDCG: (2 + two) / 4},
		{part, "global", ""}:      {R1: 1.5 / 2, R5: 1, R10: 1, MRR: 1, NDCG: 1},
		{part, "scoped", ""}:      {R1: 1.5 / 2, R5: 1.5 / 2, R10: 1.5 / 2, MRR: 1, NDCG: (1 + two) / 2},
		{"kitchen", "global", ""}: {R1: 1.5 / 2, R5: 1.5 / 2, R10: 1.5 / 2, MRR: 1, NDCG: (1 + two) / 2},
	} {
		for _, engine := range []string{engineOurs, engineYardstick} {
			k.engine = engine
			r, ok := got[k]
			if !ok {
				t.Errorf("%v: no row", k)
				continue
			}
			if !near(r.R1, want.R1) || !near(r.R5, want.R5) || !near(r.R10, want.R10) || !near(r.MRR, want.MRR) ||
				!near(r.NDCG, want.NDCG) {
				t.Errorf("%v: %+v, want %+v", k, r.quality, want)
			}
		}
	}
	if len(rows) != 10 {
		t.Errorf("%d rows", len(rows))
	}
	own := got[key{"harbour", "scoped", engineOurs}]
	if own.Queries != 4 || own.Documents != 6 || own.Foreign != 6 || own.ForeignRefused == nil || *own.ForeignRefused != 1 {
		t.Errorf("scoped row %+v", own)
	}
	if own.IndexMS <= 0 || own.HeapMB == 0 || own.P50 <= 0 || own.P50 > own.P99 || own.Answer == nil || own.Answer.P50 <= 0 ||
		own.Edit == nil || own.Edit.P95 <= 0 {
		t.Errorf("costs of %+v", own)
	}
	if y := got[key{"harbour", "scoped", engineYardstick}]; y.ForeignRefused != nil || y.Answer != nil || y.Edit != nil {
		t.Errorf("the yardstick is said to do what it does not: %+v", y)
	}
	checkRankings(t, runs)
	text, err := os.ReadFile(markdown)
	if err != nil || !strings.Contains(string(text), "| harbour | scoped | bm25f | 4 | 0.625 | 0.625 | 0.625 | 0.750 |") {
		t.Errorf("tables (%v):\n%s", err, text)
	}
	if lines, err := os.ReadFile(out); err != nil || bytes.Count(lines, []byte("\n")) != len(rows) {
		t.Errorf("%s (%v):\n%s", out, err, lines)
	}
}

// checkRankings reads what --runs wrote.
func checkRankings(t *testing.T, dir string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(files) != 6 { // two sets, one of them in two scopes, by two engines
		t.Errorf("rankings %v", files)
	}
	text, err := os.ReadFile(filepath.Join(dir, "harbour.scoped.brv-lsp.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	rank := map[string]int{}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 4 {
			t.Fatalf("line %q", line)
		}
		if f[0] == "q8" && f[2] == "1" && f[1] != "h6" {
			t.Errorf("first of q8 is %s", f[1])
		}
		if f[0] == "q1" && strings.TrimLeft(f[1], "h") > "3" {
			t.Errorf("q1, asked in the north, found %s", f[1])
		}
		if rank[f[0]]++; f[2] != string(rune('0'+rank[f[0]])) {
			t.Errorf("rank %s of %s stands at place %d", f[2], f[0], rank[f[0]])
		}
	}
	if rank["q8"] == 0 {
		t.Errorf("no ranking of q8:\n%s", text)
	}
}

func TestSetWithoutForeignQuestionsIsMeasured(t *testing.T) {
	rows := measured[Row](t, config{data: packed(t, "kitchen"), sets: []string{foreignSet, "kitchen"}})
	if len(rows) != 2 || rows[0].Engine != engineOurs || rows[0].ForeignRefused != nil || !near(rows[0].MRR, 1) {
		t.Errorf("rows %+v", rows)
	}
}

func TestWhatIsNotThereIsSaid(t *testing.T) {
	for want, c := range map[string]config{
		"nowhere":    {data: "testdata/nowhere"},
		"neither":    {data: "testdata", sets: []string{"castle"}},
		foreignSet:   {data: "testdata", sets: []string{foreignSet}},
		"no folder":  {data: "testdata/harbour"},
		"docs.jsonl": {data: "testdata", sets: []string{"harbour", foreignSet, "castle"}, bad: true},
	} {
		if err := run(t.Context(), c, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v", c, err)
		}
	}
}

func TestUseIsReplayedOnARealTree(t *testing.T) {
	rows := measured[wornRow](t, config{data: "testdata", sets: []string{"harbour"}, use: true})
	if len(rows) != 2*len(habits) {
		t.Fatalf("%d rows", len(rows))
	}
	for _, r := range rows {
		if r.Asked != 12 || r.Before.MRR == 0 {
			t.Errorf("%s: %+v", r.Habit, r)
		}
	}
	last := rows[len(rows)-1] // every listed hit is credited
	if last.Credits < 12 || last.Importance <= 50 || last.Importance > 100 {
		t.Errorf("use leaves no trace: %+v", last)
	}
}

func TestSenselessQuestionsAreAskedOfTheLargestSet(t *testing.T) {
	rows := measured[badRow](t, config{data: "testdata", bad: true})
	if len(rows) < 8 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, r := range rows {
		if r.Set != "harbour" || r.Result == "" || strings.HasPrefix(r.Result, "error") {
			t.Errorf("%+v", r)
		}
	}
}
