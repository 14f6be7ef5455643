// Package mirror brings commits of repositories that are at hand, bare or cloned, into
// folders. Nothing is written to a repository.
package mirror

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrAbsent says that a repository, or a commit of it, is not at hand.
var ErrAbsent = errors.New("not at hand")

// GitDir finds a repository owner/name below a folder of repositories: as owner+name, as
// name, or as the folder repo in one of these.
func GitDir(repos, repo string) (string, error) {
	_, name, _ := strings.Cut(repo, "/")
	for _, dir := range []string{strings.ReplaceAll(repo, "/", "+"), name} {
		for _, try := range []string{"repo", "repo/.git", ".git", "."} {
			candidate := filepath.Join(repos, dir, try)
			head, err1 := os.Stat(filepath.Join(candidate, "HEAD"))
			objects, err2 := os.Stat(filepath.Join(candidate, "objects"))
			if err1 == nil && err2 == nil && head.Mode().IsRegular() && objects.IsDir() {
				return filepath.Abs(candidate)
			}
		}
	}
	return "", fmt.Errorf("%s: %w: no git directory of it in %q", repo, ErrAbsent, repos)
}

// Checkout fills an empty folder with the files of one commit, or with those below one of
// its folders. The git folder there borrows the objects of the repository, and its only
// reference is a detached HEAD at the commit: what reads history sees no later one.
func Checkout(ctx context.Context, gitDir, commit, below, dir string) error {
	own := filepath.Join(dir, ".git")
	info := filepath.Join(own, "objects", "info")
	err := errors.Join(os.MkdirAll(filepath.Join(own, "refs"), 0o777), os.MkdirAll(info, 0o777))
	if err == nil {
		err = errors.Join(os.WriteFile(filepath.Join(own, "HEAD"), []byte(commit+"\n"), 0o666),
			os.WriteFile(filepath.Join(info, "alternates"), []byte(filepath.Join(gitDir, "objects")+"\n"), 0o666))
	}
	if err != nil {
		return err
	}
	if err := run(ctx, dir, "cat-file", "-e", commit+"^{commit}"); err != nil {
		return fmt.Errorf("%w: commit %s is not in %s; fetch its whole history", ErrAbsent, commit, gitDir)
	}
	if below == "" {
		return run(ctx, dir, "reset", "--quiet", "--hard", commit)
	}
	return run(ctx, dir, "checkout", "--quiet", commit, "--", below)
}

// CheckoutPresent is Checkout of a whole commit, without the files whose content the repository lacks: mirrors leave out
// the largest ones.
func CheckoutPresent(ctx context.Context, gitDir, commit, dir string) error {
	err := Checkout(ctx, gitDir, commit, "", dir)
	if err == nil || errors.Is(err, ErrAbsent) {
		return err
	}
	if err := run(ctx, dir, "read-tree", commit); err != nil {
		return err
	}
	_ = run(ctx, dir, "checkout-index", "--all", "--force", "--quiet") // it fails for what is missing, behind all others
	return nil
}

// run runs git in a checkout, without the user's and the system's configuration.
func run(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "core.autocrlf=false"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_DIR="+filepath.Join(dir, ".git"), "GIT_WORK_TREE="+dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	if _, err := cmd.Output(); err != nil {
		return fmt.Errorf("git %s: %w%s", args[0], err, Stderr(err))
	}
	return nil
}

// Stderr returns the standard error of a failed command after a colon, or "" if there is none.
func Stderr(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return ": " + strings.TrimSpace(string(exit.Stderr))
	}
	return ""
}
