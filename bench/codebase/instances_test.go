package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestInstancesAreReadFromFilesAndFolders(t *testing.T) {
	dir := t.TempDir()
	writeLines(t, filepath.Join(dir, "b.jsonl"), []instance{{ID: "3", Repo: "o/b", BaseCommit: "c", Files: []string{"f"},
		Date: "2024-01-02T00:00:00+01:00"}})
	writeLines(t, filepath.Join(dir, "a.jsonl"), []instance{
		{ID: "1", Repo: "o/a", BaseCommit: "c", Files: []string{"f"}, Date: "2024-01-02T00:30:00+01:00"},
		{ID: "2", Repo: "o/a", BaseCommit: "c", Files: []string{"f"}, Date: "2024-01-01T23:00:00Z"}})
	for from, want := range map[string]string{
		dir: "2 1|3", filepath.Join(dir, "b.jsonl"): "3", filepath.Join(dir, "b.jsonl") + "," + filepath.Join(dir, "a.jsonl"): "2 1|3",
	} {
		all, err := readInstances(from)
		if err != nil {
			t.Fatal(err)
		}
		if got := drawn(byRepository(all)); got != want {
			t.Errorf("%s: %q, want %q", from, got, want)
		}
	}
	all, _ := readInstances(dir)
	for _, c := range []struct {
		only  string
		limit int
		want  string
	}{{"", 1, "1|3"}, {"2", 1, "2"}, {"", 0, "2 1|3"}} {
		some, err := chosen(all, c.only, c.limit)
		if got := drawn(byRepository(some)); err != nil || got != c.want {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}

func drawn(groups [][]instance) string {
	var out []string
	for _, g := range groups {
		var ids []string
		for _, i := range g {
			ids = append(ids, i.ID)
		}
		out = append(out, strings.Join(ids, " "))
	}
	return strings.Join(out, "|")
}

func TestBrokenInstancesAreNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.jsonl")
	for _, line := range []string{"{", `{"id": "1"}`, `{"id": "1", "repo": "o/n", "base_commit": "c"}`,
		`{"id": "1", "repo": "o/n", "base_commit": "--output=x", "files": ["f"]}`} {
		if err := os.WriteFile(file, []byte("\n"+line+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readInstances(file); err == nil || !strings.Contains(err.Error(), "x.jsonl:2: ") {
			t.Errorf("%s: error %v", line, err)
		}
	}
}
