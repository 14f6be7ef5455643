package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestCheckoutFollowsCommits(t *testing.T) {
	repos := t.TempDir()
	commits := repository(t, repos, "x", harbour...)
	c, err := newCheckout(t.Context(), filepath.Join(repos, "x"))
	if err != nil {
		t.Fatal(err)
	}
	at := func(commit string, files map[string]string, want ...string) {
		t.Helper()
		changed, err := c.move(t.Context(), commit)
		if err != nil || !slices.Equal(changed, want) {
			t.Errorf("changed %q, %v, want %q", changed, err, want)
		}
		found := map[string]string{}
		err = filepath.WalkDir(c.dir, func(p string, d os.DirEntry, err error) error {
			if err == nil && d.Name() == ".git" {
				return filepath.SkipDir
			}
			if err == nil && !d.IsDir() {
				text, err := os.ReadFile(p)
				rel, _ := filepath.Rel(c.dir, p)
				found[filepath.ToSlash(rel)] = string(text)
				return err
			}
			return err
		})
		if err != nil || len(found) != len(files) {
			t.Errorf("%d files, %v, want %d", len(found), err, len(files))
		}
		for p, text := range files {
			if found[p] != text {
				t.Errorf("%s is %q, want %q", p, found[p], text)
			}
		}
	}
	at(commits[0], harbour[0], "old/light.go", "pier/crane.go", "pier/crane_test.go", "tide/table.go")
	at(commits[1], harbour[1], "old/light.go", "pier/crane.go", "tide/moon.go")
	if _, err := os.Stat(filepath.Join(c.dir, "old")); !os.IsNotExist(err) {
		t.Error("an empty folder is left")
	}
	at(commits[1], harbour[1])
	for i, commit := range commits {
		if _, err := c.move(t.Context(), commit); err != nil {
			t.Fatal(err)
		}
		log, err := plumbing(t.Context(), filepath.Join(c.dir, ".git"), "log", "--all", "--format=%H", "HEAD").Output()
		if seen := strings.Fields(string(log)); err != nil || len(seen) != i+1 || seen[0] != commit {
			t.Errorf("at %s git sees %q, %v", commit, seen, err)
		}
	}
	at(commits[0], harbour[0], "old/light.go", "pier/crane.go", "tide/moon.go")
	if _, err := c.move(t.Context(), strings.Repeat("0", 40)); err == nil {
		t.Error("a commit that does not exist is no error")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(c.dir); !os.IsNotExist(err) {
		t.Error("the checkout is left behind")
	}
}

func TestMissingContentIsLeftOutWithANote(t *testing.T) {
	repos := t.TempDir()
	commits := repository(t, repos, "x", map[string]string{"a.go": "package a\n", "b.go": "package b\n"})
	dir := filepath.Join(repos, "x")
	blob, err := plumbing(t.Context(), dir, "rev-parse", commits[0]+":a.go").Output()
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSpace(string(blob))
	if err := os.Remove(filepath.Join(dir, "objects", name[:2], name[2:])); err != nil {
		t.Fatal(err)
	}
	c, err := newCheckout(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.move(t.Context(), commits[0]); err != nil {
		t.Fatal(err)
	}
	if len(c.notes) != 1 || !strings.HasPrefix(c.notes[0], "a.go at ") {
		t.Errorf("notes %q", c.notes)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "b.go")); err != nil {
		t.Error(err)
	}
}

func TestMalformedChangesAreErrors(t *testing.T) {
	for _, out := range []string{":1 2 3", ":1 2 3 4 M\x00", "\x00\x00", ":100644 100644 aa bb\x00p\x00"} {
		if all, err := parseChanges(out); err == nil {
			t.Errorf("%q gives %+v", out, all)
		}
	}
}
