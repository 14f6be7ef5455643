package git

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// Hooks holds the folders in which the user's own git looks for hooks of a repository.
type Hooks struct {
	Top    string // of the working tree, where git runs them
	Common string // git's folder for all working trees of the repository
	Dir    string // the folder of hooks, an absolute path; it need not exist
	Set    string // where core.hooksPath is set, for messages; "" if it is not set
	Shared bool   // all repositories of a user or of the machine share the folder
}

// maxHooksPath bounds git's output about core.hooksPath, in bytes.
const maxHooksPath = 64 << 10

// Hooks asks git for core.hooksPath as the user's git sees it in this working tree. It may be set for the system,
// the user, the repository or the working tree. This is the only call that reads the repository's configuration,
// which may name programs. `git config --get` runs none of them: it opens files and prints a value.
func (r *Repository) Hooks(ctx context.Context) (h Hooks, err error) {
	h = Hooks{Top: r.top, Common: resolved(r.common), Dir: filepath.Join(resolved(r.common), "hooks")}
	var data []byte
	read := func(out io.Reader) (err error) { data, err = io.ReadAll(io.LimitReader(out, maxHooksPath)); return err }
	said, err := call{read: read}.run(ctx, r, r.top, usersEnvironment(), "--no-pager", "config", "--null", "--show-scope",
		"--show-origin", "--type=path", "--get", "core.hooksPath")
	exit, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case exited && exit.ExitCode() == 1 && len(data) == 0 && said == "":
		return h, nil // it is not set
	case err != nil:
		return h, fmt.Errorf("reading core.hooksPath: %w", err)
	}
	parts := strings.Split(string(data), "\x00")
	if len(parts) != 4 {
		return h, fmt.Errorf("git's answer about core.hooksPath cannot be read: %q", data)
	}
	if h.Set = parts[0] + ", " + strings.TrimPrefix(parts[1], "file:"); parts[2] == "" {
		return h, fmt.Errorf("core.hooksPath is empty (%s), so git runs no hooks; to remove it, run `git config --unset core.hooksPath`", h.Set)
	}
	if h.Dir = filepath.FromSlash(parts[2]); filepath.IsAbs(h.Dir) {
		h.Shared = parts[0] != "local" && parts[0] != "worktree"
	} else {
		h.Dir = filepath.Join(r.top, h.Dir)
	}
	h.Dir = resolvedAbove(h.Dir)
	return h, nil
}

// resolvedAbove resolves the links of a path, as far as the path exists.
func resolvedAbove(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil || path == filepath.Dir(path) {
		return real
	}
	return filepath.Join(resolvedAbove(filepath.Dir(path)), filepath.Base(path))
}

// usersEnvironment is the environment of the user's own git. Of git's variables it has only those that locate its
// configuration. It lacks GIT_CONFIG, which only the command git config uses.
func usersEnvironment() (env []string) {
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") || strings.HasPrefix(v, "GIT_CONFIG_") {
			env = append(env, v)
		}
	}
	return append(env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
}
