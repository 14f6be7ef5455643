package discover

import (
	"errors"
	"flag"
	"os/exec"
	"strings"
	"testing"
)

func needsGit(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
}

// git runs git in a folder, without the user's settings, and returns what it prints.
func git(t testing.TB, dir, input string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(cmd.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && (exit.ExitCode() > 1 || len(exit.Stderr) > 0) { // 1: nothing is ignored
		t.Fatalf("git %q: %v: %s", args, err, exit.Stderr)
	}
	return string(out)
}

var more = flag.Int("rounds", 0, "rounds of random tests; 0: a few")

// rounds is how often a random test runs.
func rounds(n int) int {
	if *more > 0 {
		return *more
	}
	if testing.Short() {
		return n / 6
	}
	return n
}

func pathsOf(files []File) []string {
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = f.Path
	}
	return out
}
