package codebase

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// ignoredBy tells, as a walk would, whether p is ignored by ignore files given
// by folder: p itself, or a folder above it.
func ignoredBy(ignores map[string]string, p string, isDir bool) bool {
	stack := (*ignoreStack)(nil).with(parseIgnore("", ignores[""]))
	parts := strings.Split(p, "/")
	for i := range parts {
		prefix := strings.Join(parts[:i+1], "/")
		last := i == len(parts)-1
		if stack.ignores(prefix, !last || isDir) {
			return true
		}
		if text, ok := ignores[prefix]; ok && !last {
			stack = stack.with(parseIgnore(prefix, text))
		}
	}
	return false
}

func TestIgnoreRules(t *testing.T) {
	for _, c := range []struct {
		rules, path string
		dir, want   bool
	}{
		{"*.log", "a/b.log", false, true},
		{"/a.log", "b/a.log", false, false},
		{"build/", "build", false, false},
		{"build/", "x/build", true, true},
		{"build/", "build/a.go", false, true},
		{"*.js\n!keep.js", "keep.js", false, false},
		{"dir\n!dir/keep", "dir/keep", false, true},
		{"a/**/b", "a/b", false, true},
		{"a/**/b", "a/x/y/b", false, true},
		{"**/b", "x/y/b", false, true},
		{"a/**", "a", true, false},
		{"a/**", "a/x", false, true},
		{"a/*", "a/x/y", false, true},
		{"a*/c", "ab/x/c", false, false},
		{`\#x`, "#x", false, true},
		{`\!x`, "!x", false, true},
		{"# comment\r\nx\r\n", "x", false, true},
		{"x  ", "x", false, true},
		{`x\ `, "x ", false, true},
		{"[!a]x", "bx", false, true},
		{"[a-c]x", "bx", false, true},
		{"[[:digit:]]", "7", false, true},
		{"[", "[", false, false},
		{"/", "a", false, false},
		{"!", "a", false, false},
		{"\ufeffx", "x", false, true},
	} {
		if got := ignoredBy(map[string]string{"": c.rules}, c.path, c.dir); got != c.want {
			t.Errorf("%q ignores %q (dir %v): %v", c.rules, c.path, c.dir, got)
		}
	}
}

// TestIgnoresAsGit compares random rules and paths with git check-ignore.
func TestIgnoresAsGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git")
	}
	rounds := 60
	if testing.Short() {
		rounds = 10
	}
	for seed := range rounds {
		rnd := rand.New(rand.NewPCG(uint64(seed), 7))
		ignores := map[string]string{"": randomRules(rnd)}
		for _, dir := range []string{"a", "b", "a/b", "ab/a"} {
			if rnd.IntN(3) == 0 {
				ignores[dir] = randomRules(rnd)
			}
		}
		compareWithGit(t, git, rnd, ignores)
	}
}

func compareWithGit(t *testing.T, git string, rnd *rand.Rand, ignores map[string]string) {
	t.Helper()
	dir := t.TempDir()
	env := append(exec.Command(git).Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	init := exec.Command(git, "-C", dir, "init", "-q")
	init.Env = env
	if out, err := init.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for d, text := range ignores {
		write(t, dir, strings.TrimPrefix(d+"/.gitignore", "/"), text)
	}
	var paths []string
	for range 150 {
		if p := randomPath(rnd); !isFolder(ignores, p) {
			paths = append(paths, p)
		}
	}
	cmd := exec.Command(git, "-C", dir, "check-ignore", "-z", "--stdin", "--no-index")
	cmd.Env = env
	cmd.Stdin = strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	out, _ := cmd.Output() // exit code 1: none is ignored
	ignored := map[string]bool{}
	for p := range bytes.SplitSeq(out, []byte{0}) {
		ignored[string(p)] = true
	}
	for _, p := range paths {
		if got := ignoredBy(ignores, p, false); got != ignored[p] {
			t.Errorf("%s: %v, git says %v, rules %s", p, got, ignored[p], describe(ignores))
		}
	}
}

// isFolder reports whether p exists as a folder because an ignore file is in it.
func isFolder(ignores map[string]string, p string) bool {
	for dir := range ignores {
		if _, ok := under(dir, p); ok {
			return true
		}
	}
	return false
}

func describe(ignores map[string]string) string {
	return fmt.Sprintf("%q", ignores)
}

func randomRules(rnd *rand.Rand) string {
	atoms := []string{"a", "b", "ab", "c.go", "*", "**", "?", "/", "/", "[ab]", "[!a]", "[^b]", "[a-c]", `\a`, `\*`, "*.go", "a*", "**/", "/**", " ", "[[:alpha:]]", "[]a]", "-", ".", "[b-", "***"}
	var lines []string
	for range 1 + rnd.IntN(5) {
		line := ""
		if rnd.IntN(4) == 0 {
			line = "!"
		}
		for range 1 + rnd.IntN(4) {
			line += atoms[rnd.IntN(len(atoms))]
		}
		if rnd.IntN(4) == 0 {
			line += "/"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n") + "\n"
}

func randomPath(rnd *rand.Rand) string {
	names := []string{"a", "b", "ab", "ba", "c.go", "a.go", "*", "-", "abc", "a b", "aab"}
	parts := make([]string, 1+rnd.IntN(4))
	for i := range parts {
		parts[i] = names[rnd.IntN(len(names))]
	}
	return strings.Join(parts, "/")
}

func TestHostilePatternsEnd(t *testing.T) {
	start := time.Now()
	for _, p := range []string{
		strings.Repeat("**/", 200) + "x", strings.Repeat("a*", 500) + "b", strings.Repeat("*", 10_000), strings.Repeat("**/*a", 100),
	} {
		wildmatch(p, strings.Repeat("a/", 300)+"a", true)
		wildmatch(p, strings.Repeat("a", 3000), true)
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("took %v", d)
	}
}

func FuzzIgnore(f *testing.F) {
	f.Add("*.go\n!a/[b-d]/**\n", "a/b/c.go")
	f.Fuzz(func(t *testing.T, rules, p string) {
		if len(rules)+len(p) < 500 && !strings.Contains(p, "//") {
			ignoredBy(map[string]string{"": rules}, p, false)
		}
	})
}
