package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Copy makes a shallow copy of another repository at an address that the user typed. Only the files below one
// folder are on disk. Unlike the rest of this package, it runs git as the user's own shell does: with the user's
// configuration and credentials, over the network. ref is a branch or a tag, "" for the repository's default.
// After an error, nothing is left on disk.
func Copy(ctx context.Context, dir, address, ref, below string) (err error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	made, err := os.MkdirTemp(filepath.Dir(dir), ".copy-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(made)
	clone := []string{"clone", "--quiet", "--depth=1", "--no-tags", "--no-checkout", "--filter=blob:none"}
	if ref != "" {
		clone = append(clone, "--branch="+ref)
	}
	for _, args := range [][]string{
		append(clone, "--", address, made),
		{"-C", made, "config", "core.symlinks", "false"},
		{"-C", made, "sparse-checkout", "set", "--no-cone", "/" + below + "/"},
		{"-C", made, "checkout", "--quiet"},
	} {
		if _, err := shell(ctx, args...); err != nil {
			return err
		}
	}
	return os.Rename(made, dir)
}

// ErrEdited is the error for a copy with local changes.
var ErrEdited = errors.New("it has changes that are not committed or not pushed")

// Renew updates a copy to the newest commit of its origin. A copy with local commits or changes stays as it
// is.
func Renew(ctx context.Context, dir, below string) error {
	if err := Unedited(ctx, dir, below); err != nil {
		return err
	}
	if _, err := shell(ctx, "-C", dir, "rev-parse", "--verify", "--quiet", "@{upstream}"); err != nil {
		return nil // a tag does not change
	}
	if _, err := shell(ctx, "-C", dir, "fetch", "--quiet", "--depth=1", "--no-tags"); err != nil {
		return err
	}
	_, err := shell(ctx, "-C", dir, "reset", "--quiet", "--hard", "@{upstream}")
	return err
}

// Unedited returns [ErrEdited] for a copy with content below a folder that its origin does not have.
func Unedited(ctx context.Context, dir, below string) error {
	changed, err := shell(ctx, "-C", dir, "status", "--porcelain", "--untracked-files=all", "--", below)
	if err != nil {
		return err
	}
	ahead, err := shell(ctx, "-C", dir, "log", "--oneline", "HEAD", "--not", "--remotes")
	if err == nil && changed+ahead != "" {
		err = ErrEdited
	}
	return err
}

// CopiedFrom returns a copy's origin and its abbreviated commit. Both are "" for a folder that is not a copy.
func CopiedFrom(ctx context.Context, dir string) (address, commit string) {
	if !isFolder(filepath.Join(dir, ".git")) {
		return "", ""
	}
	address, _ = shell(ctx, "-C", dir, "remote", "get-url", "origin")
	commit, _ = shell(ctx, "-C", dir, "rev-parse", "--short=12", "HEAD")
	return address, commit
}

// shell runs git as the user's shell would, but without hooks and without programs named in an address.
func shell(ctx context.Context, args ...string) (string, error) {
	args = append([]string{"-c", "core.hooksPath=" + os.DevNull, "-c", "protocol.ext.allow=never", "-c", "advice.detachedHead=false"}, args...)
	program, err := lookUp()
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoProgram, err)
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(exit.Stderr) > 0 {
		err = fmt.Errorf("git: %s", strings.Join(strings.FieldsFunc(string(exit.Stderr), func(c rune) bool { return c == '\n' }), "; "))
	}
	return strings.TrimSpace(string(out)), err
}
