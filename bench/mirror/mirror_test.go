package mirror_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/bench/mirror"
	"github.com/brv-lsp/brv-lsp/bench/mirror/mirrortest"
)

func TestRepositoriesAreFoundInEachForm(t *testing.T) {
	for _, where := range []string{"o+n/repo", "o+n", "n", "n/.git", "o+n/repo/.git"} {
		repos := t.TempDir()
		dir := filepath.Join(repos, where)
		if err := os.MkdirAll(filepath.Join(dir, "objects"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "HEAD"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := mirror.GitDir(repos, "o/n"); err != nil || got != dir {
			t.Errorf("%s: %s, %v", where, got, err)
		}
		if got, err := mirror.GitDir(repos, "o/m"); !errors.Is(err, mirror.ErrAbsent) {
			t.Errorf("o/m is %s, %v", got, err)
		}
	}
}

func TestCheckoutShowsNothingLaterAndNothingBeside(t *testing.T) {
	repos := t.TempDir()
	commits := mirrortest.Repository(t, repos, "o+n",
		mirrortest.Commit{Message: "a", Files: map[string]string{"tide/table.go": "package tide\n", "pier/crane.go": "package pier\n"}},
		mirrortest.Commit{Message: "b", Files: map[string]string{"tide/later.go": "package tide\n"}})
	gitDir, err := mirror.GitDir(repos, "o/n")
	if err != nil {
		t.Fatal(err)
	}
	for below, want := range map[string]string{"": "pier/crane.go tide/table.go", "tide": "tide/table.go"} {
		dir := t.TempDir()
		if err := mirror.Checkout(t.Context(), gitDir, commits[0], below, dir); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*", "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range files {
			files[i], _ = filepath.Rel(dir, f)
		}
		if got := filepath.ToSlash(strings.Join(files, " ")); got != want {
			t.Errorf("below %q: %s, want %s", below, got, want)
		}
		out, err := exec.Command("git", "-C", dir, "log", "--all", "--format=%H", "HEAD").Output()
		if strings.TrimSpace(string(out)) != commits[0] || err != nil {
			t.Errorf("git sees %q, %v", out, err)
		}
	}
	err = mirror.Checkout(t.Context(), gitDir, strings.Repeat("0", 40), "", t.TempDir())
	if !errors.Is(err, mirror.ErrAbsent) {
		t.Errorf("a commit that is not there: %v", err)
	}
}
