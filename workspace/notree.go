package workspace

import (
	"errors"
	"io/fs"
)

// ErrRequest marks a request that no state could answer: the caller's mistake.
var ErrRequest = errors.New("wrong request")

// ErrNoTree is returned where a command needs a context tree and there is none.
var ErrNoTree = errors.New("no context tree in this folder; `brv-lsp init` makes one")

// linkError says that a link stands where the context tree should; it is an [ErrNoTree].
type linkError struct{ path string }

func (e linkError) Error() string {
	return e.path + " is a link, and is not followed: it decides which files are written;" +
		" open the folder that holds the context tree (--root), or put the tree here instead of the link"
}

func (e linkError) Is(target error) bool { return target == ErrNoTree }

// NoTree says why there is no context tree: [ErrNoTree], or an error like it where a link
// stands in its place.
func (w *Workspace) NoTree() error {
	for _, p := range []string{brvDir, treeDir} {
		if info, err := w.root.Lstat(p); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return linkError{p}
		}
	}
	if w.foreignBrv() {
		return errForeignBrv
	}
	return ErrNoTree
}

// errForeignBrv is an [ErrNoTree].
var errForeignBrv = foreignError{}

type foreignError struct{}

func (foreignError) Error() string {
	return brvDir + " belongs to another user than the folder that it is in, and is not read;" +
		" if it is to be, change its owner"
}

func (foreignError) Is(target error) bool { return target == ErrNoTree }
