package main

import (
	"encoding/json"
	"path"
	"strings"
	"testing"
)

func TestSampleIsWellFormed(t *testing.T) {
	var all []sampledRepository
	if err := json.Unmarshal(sampled, &all); err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, r := range all {
		seen := map[string]bool{}
		if len(r.Commit) != 40 {
			t.Errorf("%s: commit %q", r.Repository, r.Commit)
		}
		for _, i := range r.Imports {
			count++
			if at := i.File + "\n" + i.Spec; seen[at] {
				t.Errorf("%s: %s: %s is there twice", r.Repository, i.File, i.Spec)
			} else {
				seen[at] = true
			}
			for _, p := range append(i.Paths, i.File) {
				if path.IsAbs(p) || strings.Contains(p, "..") || path.Clean(p) != p {
					t.Errorf("%s: path %q", r.Repository, p)
				}
			}
		}
	}
	if count < 200 {
		t.Errorf("%d imports, want 200", count)
	}
}

func TestSampleExpandsFolders(t *testing.T) {
	dir := checkout(t, "repo", "-- a/m/x.kt --\n-- a/m/n/y.kt --\n-- a/m/z.txt --\n-- b.kt --\n")
	paths, err := expand(dir, sampledImport{File: "b.kt", Spec: "m", Paths: []string{"b.kt", "a/m/**"}})
	if err != nil {
		t.Fatal(err)
	}
	wantAnswers(t, []answer{{File: "b.kt", Spec: "m", Paths: paths}}, "b.kt: m => a/m/n/y.kt a/m/x.kt b.kt\n")
}
