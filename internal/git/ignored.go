package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"strings"
)

// Ignored returns those of the given paths in the opened folder that git leaves out of commits: an ignore file of
// the repository, or the user's own, matches them, and git does not track them. The paths need not exist.
func (r *Repository) Ignored(ctx context.Context, paths []string) (ignored []string, err error) {
	c := call{hashLen: r.hashLen()}
	if c.index, _, err = r.readIndex(); err != nil {
		return nil, err
	}
	if c.index != nil {
		if _, err := parseIndex(c.index, c.hashLen); err != nil {
			return nil, fmt.Errorf("%s/index: %w", r.dir, err)
		}
	}
	if c.exclude, err = readIn(r.common, "info/exclude"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, p := range paths {
		if plainPath(p) {
			c.input += r.prefix + p + "\x00"
		}
	}
	var out []byte
	c.read = func(from io.Reader) (err error) { out, err = io.ReadAll(from); return err }
	err = r.run(ctx, c, "--no-literal-pathspecs", "--work-tree="+r.top, "-c", "core.excludesFile="+userExcludes(r.dir),
		"check-ignore", "-z", "--stdin")
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		return nil, nil // none is ignored
	}
	for p := range strings.SplitSeq(string(out), "\x00") {
		if p, ok := strings.CutPrefix(p, r.prefix); ok && p != "" {
			ignored = append(ignored, p)
		}
	}
	return ignored, err
}
