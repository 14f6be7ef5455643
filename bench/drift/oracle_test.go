package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// twoCommits makes a repository of two states and returns the step between them.
func twoCommits(t *testing.T, before, after map[string]string) (*repo, step) {
	t.Helper()
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a",
			"GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	var hashes []string
	for _, state := range []map[string]string{before, after} {
		git("rm", "-rqf", "--ignore-unmatch", ".")
		for name, text := range state {
			file := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		git("add", "-A")
		git("commit", "-q", "--allow-empty", "-m", "x")
		hashes = append(hashes, git("rev-parse", "HEAD"))
	}
	g := &repo{filepath.Join(dir, ".git")}
	s := step{from: hashes[0], to: hashes[1]}
	var err error
	if s.changes, err = g.changes(t.Context(), s.from, s.to); err != nil {
		t.Fatal(err)
	}
	return g, s
}

// function is one of five lines or more.
func function(name string, from, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "func %s() {\n", name)
	for i := range n {
		fmt.Fprintf(&b, "\tdo(%d, %q)\n", from+i, name)
	}
	return b.String() + "}\n\n"
}

func TestTruthsOfASmallRepository(t *testing.T) {
	whole := "package p\n\n" + function("Moves", 0, 12)
	before := map[string]string{
		"renamed.go":      whole,
		"deleted.go":      "package p\n\n" + function("Removed", 100, 12),
		"rewritten.go":    "package p\n\n" + function("Reworked", 200, 12),
		"small.go":        "package p\n\n" + function("Steady", 300, 30) + function("Leaving", 330, 8),
		"home.go":         "package p\n\n" + function("Resident", 360, 30),
		"form.go":         "package p\n\n// Says.\n" + function("Formed", 400, 12),
		"shuffled.go":     "package p\n\n" + function("First", 500, 8) + function("Second", 600, 8),
		"between.go":      "package p\n\n" + function("Halfway", 700, 12),
		"still.go":        "package p\n\n" + function("Untouched", 800, 12),
		"dist/deleted.go": "package p\n\n" + function("Built", 900, 12),
		"short.go":        "package p\n",
		"text.md":         strings.Repeat("words\n", 20),
	}
	after := map[string]string{
		"sub/renamed.go": whole,
		"rewritten.go":   "package p\n\n" + function("Reworked", 1200, 12),
		"small.go":       "package p\n\n" + function("Steady", 300, 30),
		"home.go":        "package p\n\n" + function("Resident", 360, 30) + function("Leaving", 330, 8),
		"form.go":        strings.ReplaceAll(before["form.go"], "\t", "    ") + "// More is said.\n",
		"shuffled.go":    "package p\n\n" + function("Second", 600, 8) + function("First", 500, 8),
		"between.go":     "package p\n\n" + function("Halfway", 697, 12),
		"still.go":       before["still.go"],
	}
	g, s := twoCommits(t, before, after)
	truths, err := g.truths(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range truths {
		got = append(got, strings.TrimSpace(x.kind+" "+x.path+" "+x.symbol+" "+x.to))
	}
	slices.Sort(got)
	want := []string{
		"deleted deleted.go", "form form.go", "form shuffled.go", "gone deleted.go Removed",
		"kept form.go Formed", "kept home.go Resident", "kept renamed.go Moves", "kept shuffled.go First", "kept shuffled.go Second",
		"kept small.go Steady",
		"left small.go Leaving home.go", "renamed renamed.go  sub/renamed.go", "reworked rewritten.go Reworked",
		"rewritten rewritten.go", "untouched still.go",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestExtentEndsWithTheBody(t *testing.T) {
	for text, want := range map[string]string{
		"def a(\n    x,\n):\n    return x\n\n\ndef b():\n    pass\n": "def a(\n    x,\n):\n    return x",
		"fn a()\nwhere T: X\n{\n    1\n}\nfn b() {}\n":               "fn a()\nwhere T: X\n{\n    1\n}",
		"func a() {\n\tx()\n\n\ty()\n}\nfunc b() {}\n":               "func a() {\n\tx()\n\n\ty()\n}",
		"type a interface {\n}\n":                                    "type a interface {\n}",
	} {
		if got := extent(text, 0); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestLocalDefinitions(t *testing.T) {
	text := "class A:\n    def method(self):\n        def inner():\n            pass\n    class B:\n        def of_b(self):\n     " +
		"       pass\n"
	for line, want := range map[int]bool{0: false, 1: false, 2: true, 4: false, 5: false, 99: true} {
		if got := isLocal(text, line); got != want {
			t.Errorf("line %d: %v", line, got)
		}
	}
}
