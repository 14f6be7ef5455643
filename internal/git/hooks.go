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
		return h, fmt.Errorf("the answer of git for core.hooksPath cannot be read: %q", data)
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
