package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/codebase/codebasetest"
)

// TestMain makes the test binary the worker that reads code.
func TestMain(m *testing.M) { codebasetest.Main(m) }

// A tree is made of a repository's documents, and its commits are drafted on it: what is
// given is not written to, and nothing is added twice.
func TestTreeAndDrafts(t *testing.T) {
	repo, at := t.TempDir(), t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", repo, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	commit := func(message, name, text string) {
		t.Helper()
		path := filepath.Join(repo, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		git("add", "-A")
		git("commit", "-q", "-m", message)
	}
	git("init", "-q")
	commit("Add a guide to uploads", "docs/uploads.md", "# Uploads\n\nFiles are sent in parts.\n")
	commit(
		"Uploads wait before they are tried again\n\nA server that answers with an error is busy, and what is sent again at once "+
			"keeps it so.", "src/upload/retry.go", "package upload\n\n// Retry waits.\nfunc Retry() {}\n")
	commit("Fix typo", "src/upload/retry.go", "package upload\n\n// Retry waits!\nfunc Retry() {}\n")
	runs := filepath.Join(t.TempDir(), "run.md")
	if err := run(t.Context(), options{repo: repo, tree: at, every: 1, make: true}); err != nil {
		t.Fatal(err)
	}
	before := listing(t, at)
	if !strings.Contains(before, "project/uploads/uploads.md") {
		t.Errorf("no entry of the document in %s", before)
	}
	if err := run(t.Context(), options{repo: repo, tree: at, every: 1, commits: 10, runs: runs}); err != nil {
		t.Fatal(err)
	}
	if after := listing(t, at); after != before {
		t.Errorf("the tree changed from %s to %s", before, after)
	}
	text, err := os.ReadFile(runs)
	if err != nil || !strings.Contains(string(text), "3 commits: 0 drafts landed, 1 offered with choices, 2 with nothing to say") ||
		!strings.Contains(string(text), "0 entries added twice") {
		t.Errorf("%s, %v", text, err)
	}
}

// listing names the files below a folder with their sizes.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, p)
			info, _ := d.Info()
			b.WriteString(filepath.ToSlash(rel) + " " + info.ModTime().String() + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
