package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/bench/mirror/mirrortest"
	"github.com/brv-lsp/brv-lsp/codebase/codebasetest"
)

// TestMain makes the test binary its own syntax worker.
func TestMain(m *testing.M) { codebasetest.Main(m) }

// harbour makes a repository o/n below a folder, with two commits; the name of each is
// returned.
func harbour(t *testing.T) (repos string, commits []string) {
	t.Helper()
	crane := "package pier\n\n// Lift raises a load with the crane.\nfunc Lift(tons int) bool { return tons < " +
		"MaxLoad }\n\n// MaxLoad in tons.\nconst MaxLoad = 40\n"
	repos = t.TempDir()
	return repos, mirrortest.Repository(t, repos, "o+n",
		mirrortest.Commit{Message: "commit of the harbour a", Files: map[string]string{
			"pier/crane.go": crane,
			"tide/table.go": "package tide\n\n// High tells when the water is highest.\nfunc High(day int) int { return day * 50 " +
				"% 1440 }\n",
		}},
		mirrortest.Commit{Message: "commit of the harbour b", Files: map[string]string{
			"pier/crane.go": crane,
			"tide/table.go": "package tide\n\n// Low tells when the water is lowest.\nfunc Low(day int) int { return 0 }\n",
			"tide/later.go": "package tide\n",
		}})
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// archive is one about the first commit of the harbour.
func archive(commit string) string {
	return "-- repository --\no/n " + commit + `
-- tree/harbour/cranes/load_limit.md --
---
title: Load limit
summary: A crane lifts no more than MaxLoad.
---
## Raw Concept
**Files:**
- pier/crane.go

## Narrative
The crane at the pier lifts 40 tons, wind counts as load.
-- task heavier --
text: let the crane lift a heavier load
need: pier/crane.go
know: harbour/cranes/load_limit.md
open: tide/table.go
line: 3
`
}

func TestRunMeasuresAnArchive(t *testing.T) {
	repos, commits := harbour(t)
	labels := t.TempDir()
	write(t, filepath.Join(labels, "n.txtar"), archive(commits[0]))
	c := config{labels: labels, repos: repos, budgets: []int{2000}, verbose: true}
	var outs [2]bytes.Buffer
	var kept [2][]byte
	for i := range outs {
		c.runs = filepath.Join(t.TempDir(), "x.md")
		if err := run(t.Context(), c, &outs[i], io.Discard); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(c.runs)
		if err != nil || outs[i].String() != string(text) && !strings.HasPrefix(outs[i].String(), string(text)) {
			t.Errorf("kept %q, %v", text, err)
		}
		if kept[i], err = os.ReadFile(strings.TrimSuffix(c.runs, ".md") + ".jsonl.gz"); err != nil {
			t.Error(err)
		}
	}
	if outs[0].String() != outs[1].String() || !bytes.Equal(kept[0], kept[1]) {
		t.Error("two runs differ")
	}
	for _, row := range []string{
		"| n | 1 | o/n | " + commits[0][:10] + " | 1 | 1 | 1 |",
		"| n | 1 | joint | 100.0 / 100.0 / 0.0 | 100.0 / 0.0 | 100.0 | 100.0 |",
		"| n | 1 | half and half | 100.0 / 100.0 / 0.0 | 100.0 / 0.0 | 100.0 | 100.0 |",
		"| n | 1 | code | 100.0 / 100.0 / 0.0 | 0.0 / 0.0 | 50.0 | 0.0 |",
		"| n | 1 | knowledge | 0.0 / 0.0 / 0.0 | 100.0 / 0.0 | 50.0 | 0.0 |",
		"| 2000 | half and half | n | +0.0 [+0.0, +0.0] | +0.0 [+0.0, +0.0] | 0 : 0 |",
		"| 2000 | code | n | +50.0 [+50.0, +50.0] | +100.0 [+100.0, +100.0] | 1 : 0 |",
		"| 2000 | entry | 1 | 0 | 0 | 0 | 0 | 0 |",
	} {
		if !strings.Contains(outs[0].String(), row) {
			t.Errorf("no row %s in\n%s", row, outs[0].String())
		}
	}
}

func TestRunRefusesLabelsThatDoNotFit(t *testing.T) {
	repos, commits := harbour(t)
	for _, tt := range []struct{ old, new, want string }{
		{"need: pier/crane.go", "need: tide/later.go", "task heavier: tide/later.go: not a source file of the map"},
		{"know: harbour/cranes/load_limit.md", "know: harbour/cranes/wind.md", "task heavier: harbour/cranes/wind.md: no such entry"},
		{"line: 3", "line: 30", "task heavier: tide/table.go has no line 30"},
		{"- pier/crane.go", "- pier/winch.go", "tree/harbour/cranes/load_limit.md: pier/winch.go, listed under Files, does not exist"},
		{"title: Load limit", "title: [", "tree/harbour/cranes/load_limit.md: "},
		{commits[0], strings.Repeat("0", 40), "no repository is at hand"},
		{"o/n ", "o/m ", "no repository is at hand"},
	} {
		labels := t.TempDir()
		write(t, filepath.Join(labels, "n.txtar"), strings.Replace(archive(commits[0]), tt.old, tt.new, 1))
		err := run(t.Context(), config{labels: labels, repos: repos, budgets: []int{500}}, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.new, err, tt.want)
		}
	}
}

func TestBudgets(t *testing.T) {
	if got, err := parseBudgets("4096,8192"); err != nil || len(got) != 2 || got[1] != 8192 {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"", "4096,", "0", "-1", "4k"} {
		if got, err := parseBudgets(bad); err == nil {
			t.Errorf("%q is %v", bad, got)
		}
	}
}
