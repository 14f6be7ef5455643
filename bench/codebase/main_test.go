package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/bench/mirror/mirrortest"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// TestMain makes the test binary its own syntax worker, and the process that measures a
// repository.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg:
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	case len(os.Args) > 1 && os.Args[1] == repositoryArg:
		os.Exit(repositoryMain(context.Background(), os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// repository makes a bare repository name below a folder. Each state is the files of one
// commit; the commits' names are returned.
func repository(t *testing.T, repos, name string, states ...map[string]string) []string {
	t.Helper()
	commits := make([]mirrortest.Commit, len(states))
	for i, files := range states {
		commits[i] = mirrortest.Commit{Message: "state", Files: files}
	}
	return mirrortest.Repository(t, repos, name, commits...)
}

// harbour is a repository whose two states differ in one file of three, one file that is
// new, and a folder that is gone.
var harbour = []map[string]string{{
	"pier/crane.go": "package pier\n\n// Lift raises a container.\nfunc Lift(weight int) int {\n\tif weight > limit " +
		"{\n\t\treturn 0\n\t}\n\treturn weight\n}\n\nconst limit = 40\n",
	"pier/crane_test.go": "package pier\n\nimport \"testing\"\n\nfunc TestLiftContainerWeight(t *testing.T) { Lift(1); Lift(2); " +
		"Lift(3) }\n",
	"tide/table.go": "package tide\n\n// High tells when the water is high.\nfunc High(day int) int { return day * 25 }\n",
	"old/light.go":  "package old\n\nfunc Lamp() {}\n",
}, {
	"pier/crane.go": "package pier\n\n// Lift raises a container.\nfunc Lift(weight int) int {\n\tif weight >= limit " +
		"{\n\t\treturn 0\n\t}\n\treturn weight\n}\n\nconst limit = 40\n",
	"pier/crane_test.go": "package pier\n\nimport \"testing\"\n\nfunc TestLiftContainerWeight(t *testing.T) { Lift(1); Lift(2); " +
		"Lift(3) }\n",
	"tide/table.go": "package tide\n\n// High tells when the water is high.\nfunc High(day int) int { return day * 25 }\n",
	"tide/moon.go": "package tide\n\n// Phase is the phase of the moon, which the water follows.\nfunc Phase(day int) int { " +
		"return High(day) % 28 }\n",
}}

// tasks are instances of the harbour, the later one first.
func tasks(commits []string) []instance {
	return []instance{
		{ID: "h2", Repo: "town/harbour", Lang: "go", BaseCommit: commits[1], Date: "2024-02-01T00:00:00Z", Mentions: "stem",
			Query: "the water follows the phase of the moon", Files: []string{"tide/moon.go", "tide/table.go"},
			BaseLines: map[string][][2]int{"tide/moon.go": {{4, 4}}, "tide/table.go": {{3, 4}}}},
		{ID: "h1", Repo: "town/harbour", Lang: "go", BaseCommit: commits[0], Date: "2024-01-01T00:00:00Z", Mentions: "none",
			Query: "a container of too much weight is not raised", Files: []string{"pier/crane.go"},
			BaseLines: map[string][][2]int{"pier/crane.go": {{5, 6}}}},
	}
}

func writeLines(t *testing.T, file string, all []instance) {
	t.Helper()
	var b bytes.Buffer
	lines := json.NewEncoder(&b)
	for _, i := range all {
		if err := lines.Encode(i); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// near compares what is printed.
func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestRepositoryIsMeasuredFromCommitToCommit(t *testing.T) {
	if !syntax.Available {
		t.Skip("built without cgo")
	}
	repos, file, runs := t.TempDir(), filepath.Join(t.TempDir(), "i.jsonl"), filepath.Join(t.TempDir(), "runs")
	all := tasks(repository(t, repos, "town+harbour", harbour...))
	writeLines(t, file, all)
	before := listing(t, repos)
	c := config{instances: file, repos: repos, baseline: true, verify: true, json: true, runs: runs, jobs: 2}
	var out bytes.Buffer
	if err := run(t.Context(), c, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if after := listing(t, repos); after != before {
		t.Errorf("the repository changed from\n%s\nto\n%s", before, after)
	}
	if len(r.Notes) > 0 || r.Violations != 0 || r.Unmapped != 0 {
		t.Errorf("notes %q, %d packs too large, %d gold files not in the map", r.Notes, r.Violations, r.Unmapped)
	}
	// crane.go and moon.go are first, table.go is second.
	for _, row := range r.Ranking {
		if row.By == "all" && row.Engine == engineOurs && (row.Queries != 2 || row.Hit[0] != 1 || row.MRR != 1 || row.All[0] != .5 ||
			row.All[1] != 1) {
			t.Errorf("ranking %+v", row)
		}
		if row.Name == "none" && row.Queries != 1 {
			t.Errorf("one query names no file: %+v", row)
		}
	}
	for _, row := range r.Packs { // everything fits into each budget
		if row.Lines != 1 || row.Any != 1 || row.All != 1 || row.Full != 1 || row.Over != 0 {
			t.Errorf("pack %+v", row)
		}
	}
	for _, row := range r.Editing { // moon.go uses table.go, and nothing else is in their folder
		if row.Opened != 2 || (row.Engine == importGraph || row.Engine == sameDirectory) && (row.Recall[0] != 1 || row.MRR != 1) {
			t.Errorf("editing %+v", row)
		}
	}
	records, err := readRuns(runs)
	if err != nil || len(records) != 2 || records[0].ID != "h1" || records[1].ID != "h2" {
		t.Fatalf("runs %+v, %v: not in the order of time", records, err)
	}
	if records[0].Times.Update != nil || records[1].Times.Update == nil {
		t.Error("not the first alone is scanned")
	}
	if got := records[0].Ranks[engineOurs]; got[0] != 1 {
		t.Errorf("ranks %v", got)
	}
}

// listing is every file of a folder with its size and time.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		out.WriteString(p + " " + info.Mode().String() + " " + info.ModTime().String() + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestRunNeedsItsInput(t *testing.T) {
	empty, file := t.TempDir(), filepath.Join(t.TempDir(), "i.jsonl")
	writeLines(t, file, tasks([]string{"1111", "2222"}))
	for want, c := range map[string]config{
		"no instances":                {instances: empty, repos: empty},
		"no git directory of it":      {instances: file, repos: empty},
		`no instance has the id "h3"`: {instances: file, repos: empty, only: "h3"},
		"have no instance in common":  {compare: []string{os.DevNull, os.DevNull}},
		"no such file":                {instances: filepath.Join(empty, "x.jsonl"), repos: empty},
	} {
		if err := run(t.Context(), c, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
