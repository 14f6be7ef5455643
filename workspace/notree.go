package workspace

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// ErrNoTree is returned where a command needs a context tree and there is none. What to do about it is said by who
// shows it: an editor has a command of its own.
var ErrNoTree = errors.New("no context tree in this folder")

// ShellHint is the command to type after an error that says that there is no context tree, "" for other errors and for those like
// it, which say what is in its place.
func ShellHint(err error) string {
	if _, other := errors.AsType[inPlace](err); errors.Is(err, ErrNoTree) && !other {
		return "; `brv-lsp init` makes one"
	}
	return ""
}

// inPlace is an [ErrNoTree] that says what stands in the tree's place.
type inPlace string

func (e inPlace) Error() string { return string(e) }

func (e inPlace) Is(target error) bool { return target == ErrNoTree }

// NoTree says why there is no context tree: [ErrNoTree], or an error like it where a link
// stands in its place.
func (c *core) NoTree() error {
	for _, p := range []string{brvDir, TreeDir} {
		if info, err := c.root.Lstat(p); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return inPlace(p + " is a symbolic link, which brv-lsp does not follow because it writes files there;" +
				" open the folder that holds the context tree (--root), or replace the link with the folder itself")
		}
	}
	if c.foreign() {
		return inPlace(brvDir + " was not read because it and its parent folder belong to different users; if you trust it, change its owner")
	}
	return ErrNoTree
}

// foreign reports whether `.brv` belongs to another user than the folder that it is in: whoever
// may write to that has put it there.
func (c *core) foreign() bool {
	folder, err := c.root.Stat(".")
	if err != nil {
		return false
	}
	brv, err := c.root.Lstat(brvDir)
	return err == nil && !belongs(brv, folder)
}

// stands reports whether the folder has a context tree. A file or a link in its place, or in
// that of `.brv`, is none.
func (c *core) stands() (bool, error) {
	info, err := c.root.WithoutLinks().Stat(TreeDir)
	switch {
	case err == nil && c.foreign():
		c.opts.Log.Warn("the context tree was not read", "err", c.NoTree())
		return false, nil
	case err == nil:
		return info.IsDir(), nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return false, nil
	case errors.Is(err, jail.ErrLink):
		c.opts.Log.Warn("the context tree was not read", "err", c.NoTree())
		return false, nil
	}
	return false, err
}
