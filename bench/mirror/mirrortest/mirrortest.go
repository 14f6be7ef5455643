// Package mirrortest makes repositories for tests.
package mirrortest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/bench/mirror"
)

// Commit is a commit with all files that the repository has then, by their paths.
type Commit struct {
	Message string
	Files   map[string]string
}

// Repository makes a bare repository name below a folder and returns its commits' names.
func Repository(t *testing.T, repos, name string, commits ...Commit) (names []string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	dir, work := filepath.Join(repos, filepath.FromSlash(name)), t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"--git-dir=" + dir, "--work-tree=" + work,
			"-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=false"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "LC_ALL=C")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v%s", args, err, mirror.Stderr(err))
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "--quiet")
	for _, c := range commits {
		old, _ := filepath.Glob(filepath.Join(work, "*"))
		for _, p := range old {
			if err := os.RemoveAll(p); err != nil {
				t.Fatal(err)
			}
		}
		for p, text := range c.Files {
			p = filepath.Join(work, filepath.FromSlash(p))
			if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		git("add", "--all", "--force", ".")
		git("commit", "--quiet", "--allow-empty", "--no-verify", "--message", c.Message)
		names = append(names, git("rev-parse", "HEAD"))
	}
	return names
}
