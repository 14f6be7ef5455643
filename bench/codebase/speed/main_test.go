package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/bench/sources"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// TestMain makes the test binary its own step and its own syntax worker.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	if len(os.Args) > 1 && os.Args[1] == stepArg {
		os.Exit(stepMain(context.Background(), os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// material writes a folder of some Go and Python files.
func material(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for i := range 6 {
		sources.Write(filepath.Join(dir, fmt.Sprintf("p%d", i%3), fmt.Sprintf("f%d.go", i)),
			fmt.Appendf(nil, "package p%d\n\nfunc F%d() int { return %d }\n", i%3, i, i))
		sources.Write(filepath.Join(dir, "py", fmt.Sprintf("m%d.py", i)), fmt.Appendf(nil, "def g%d():\n    return %d\n", i, i))
	}
	sources.Write(filepath.Join(dir, "go.mod"), []byte("module example.org/m\n"))
	return dir
}

// contents are the texts of a tree by path.
func contents(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	if err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(root, name)
		out[filepath.ToSlash(rel)] = string(text)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTreesHaveTheirNumberOfDifferentFiles(t *testing.T) {
	from, err := sources.Read(t.Context(), []string{material(t), material(t)})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 5, 24, 31, 60} {
		root := t.TempDir()
		size, err := sources.Build(from, n, root)
		if err != nil {
			t.Fatal(err)
		}
		files, bytes, modules := 0, 0, 0
		for p, text := range contents(t, root) {
			if strings.HasSuffix(p, "go.mod") {
				modules++
				continue
			}
			files++
			bytes += len(text)
		}
		if files != n || int64(bytes) != size || modules == 0 {
			t.Errorf("%d files of %d bytes with %d modules; want %d of %d", files, bytes, modules, n, size)
		}
	}
}

func TestCopiesDiffer(t *testing.T) {
	dir := material(t)
	from, err := sources.Read(t.Context(), []string{dir})
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if _, err := sources.Build(from, 36, root); err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for p, text := range contents(t, root) {
		if strings.HasSuffix(p, "go.mod") {
			continue
		}
		if other, ok := seen[text]; ok {
			t.Errorf("%s and %s are the same", p, other)
		}
		seen[text] = p
	}
}

func TestQueriesAreDistinctAndSpread(t *testing.T) {
	file := filepath.Join(t.TempDir(), "q.jsonl")
	os.WriteFile(file, []byte(`{"query":"a"}`+"\n"+`{"query":"b","id":"x"}`+"\n"+`{"query":"a"}`+"\n"+`{"query":""}`+"\n"), 0o666)
	got, err := sources.ReadQueries([]string{file})
	if err != nil || fmt.Sprint(got) != "[a b]" {
		t.Errorf("%q, %v", got, err)
	}
	if got := spread([]int{0, 1, 2, 3, 4, 5, 6, 7}, 4); fmt.Sprint(got) != "[0 2 4 6]" {
		t.Errorf("spread: %v", got)
	}
}

func TestFlagsAreChecked(t *testing.T) {
	for _, args := range []string{"", "-from x y", "-from x -files 0", "-from x -files a", "-from x -steps none"} {
		if _, err := readFlags(strings.Fields(args)); err == nil {
			t.Errorf("%q was accepted", args)
		}
	}
	c, err := readFlags([]string{"-from", "a,b", "-files", "20,10"})
	if err != nil || fmt.Sprint(c.from, c.sizes, len(c.steps)) != "[a b] [10 20] 5" {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestRunMeasuresEveryStep(t *testing.T) {
	if !syntax.Available {
		t.Skip("built without cgo")
	}
	var out, progress bytes.Buffer
	queries := filepath.Join(t.TempDir(), "q.jsonl")
	sources.Write(queries, []byte(`{"query":"what F1 returns"}`+"\n"+`{"query":"g2 in python"}`+"\n"+`{"query":"package p0"}`+"\n"))
	c := config{from: []string{material(t)}, queries: []string{queries}, sizes: []int{70}, asked: 3, edits: 4, steps: stepNames,
		json: true}
	if err := run(t.Context(), c, &out, &progress); err != nil {
		t.Fatalf("%v\n%s", err, progress.String())
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	s := r.Sizes[0]
	if s.Mapped != 70 || s.Captures == 0 || s.Scan.CPU == 0 || s.Start.Wall == 0 || s.FirstPack.Wall == 0 || s.FirstItems == 0 {
		t.Errorf("%+v", s)
	}
	if s.Rank.N != 3 || s.Pack.N != 3 || s.Select.N != 3 || s.Edit.N != 4 || s.Define.N == 0 || s.StartHeap == 0 {
		t.Errorf("%+v", s)
	}
	if s.Moved.N != moves || s.Key.N != keystrokes || s.New.N != unsaved || s.Walk.N != walks || s.Key.CPU50 == 0 || s.Walk.P95 == 0 {
		t.Errorf("%+v", s)
	}
	if s.Fingerprint == "" || s.Fingerprint != s.Same {
		t.Errorf("the second start maps %q, the first %q", s.Same, s.Fingerprint)
	}
	if text := r.table(); !strings.Contains(text, "| 70 |") || !strings.Contains(text, "70 files: first scan") {
		t.Error(text)
	}
}

func TestTargetsAreComparedBySize(t *testing.T) {
	r := report{Sizes: []size{
		{Files: 10, Bytes: 100, Same: "x", Select: kind{CPUs: []float64{10, 61}}},
		{Files: 10_000, Bytes: 1000, Select: kind{CPUs: []float64{10, 61}}},
	}}
	r.Sizes[0].Scan.CPU, r.Sizes[0].Baseline.CPU = 130, 100
	r.Sizes[1].Scan.CPU, r.Sizes[1].Baseline.CPU = 1200, 1000
	r.finish()
	missed := ""
	for _, x := range r.Targets {
		if !x.Met {
			missed += x.Name + "\n"
		}
	}
	want := "10 files: first scan, CPU beside tree-sitter alone\n10 files: ranking and selection, ms of CPU p95\n10 files: maps " +
		"of the second start that differ\n"
	if missed != want {
		t.Errorf("missed:\n%swant:\n%s", missed, want)
	}
}
