package main

// A checkout is a folder with the files of one commit. Its git folder borrows the objects
// of the repository, and its only reference is a detached HEAD at the commit: what reads
// history there sees no later one. Nothing is written to the repository.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// errAbsent says that a repository is not at hand.
var errAbsent = errors.New("not at hand")

// gitDirOf finds the git folder of a repository, or of this project.
func gitDirOf(ctx context.Context, c config, repo string) (string, error) {
	if repo == "." {
		out, err := exec.CommandContext(ctx, "git", "-C", c.own, "rev-parse", "--path-format=absolute", "--git-common-dir").Output()
		if err != nil {
			return "", fmt.Errorf("%w: this folder is no clone of the project%s", errAbsent, said(err))
		}
		return strings.TrimSpace(string(out)), nil
	}
	_, name, _ := strings.Cut(repo, "/")
	for _, dir := range []string{strings.ReplaceAll(repo, "/", "+"), name} {
		for _, try := range []string{"repo", "repo/.git", ".git", "."} {
			candidate := filepath.Join(c.repos, dir, try)
			if info, err := os.Stat(filepath.Join(candidate, "objects")); err == nil && info.IsDir() {
				return filepath.Abs(candidate)
			}
		}
	}
	return "", fmt.Errorf("%w: no git directory of %s in %q", errAbsent, repo, c.repos)
}

// checkout fills an empty folder.
func checkout(ctx context.Context, gitDir, commit, dir string) error {
	own := filepath.Join(dir, ".git")
	err := errors.Join(os.MkdirAll(filepath.Join(own, "refs"), 0o777), os.MkdirAll(filepath.Join(own, "objects", "info"), 0o777))
	if err == nil {
		err = errors.Join(os.WriteFile(filepath.Join(own, "HEAD"), []byte(commit+"\n"), 0o666),
			os.WriteFile(filepath.Join(own, "objects", "info", "alternates"), []byte(filepath.Join(gitDir, "objects")+"\n"), 0o666))
	}
	if err != nil {
		return err
	}
	if err := inside(ctx, dir, "cat-file", "-e", commit+"^{commit}"); err != nil {
		return fmt.Errorf("%w: commit %s is not in %s; fetch its whole history", errAbsent, commit, gitDir)
	}
	return inside(ctx, dir, "reset", "--quiet", "--hard", commit)
}

// inside runs git in a checkout, without the user's and the system's configuration.
func inside(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "core.autocrlf=false"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_DIR="+filepath.Join(dir, ".git"), "GIT_WORK_TREE="+dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	if _, err := cmd.Output(); err != nil {
		return fmt.Errorf("git %s: %w%s", args[0], err, said(err))
	}
	return nil
}

// said is what a failed command wrote to its standard error.
func said(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return ": " + strings.TrimSpace(string(exit.Stderr))
	}
	return ""
}
