package workspace

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

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
	for _, p := range []string{brvDir, TreeDir} {
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
	return brvDir + " belongs to another user than the folder that it is in, and is not read; if it is to be, change its owner"
}

func (foreignError) Is(target error) bool { return target == ErrNoTree }

func (w *Workspace) setStore(store *store.Store, brv *jail.Root) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.store, w.brv = store, brv
}

// openTree opens the context tree, nil if the folder has none. partly is told of its parts.
func (w *Workspace) openTree(ctx context.Context, partly func(part *tree.Snapshot, done, total int)) (*store.Store, *jail.Root, error) {
	if stands, err := w.treeStands(); err != nil || !stands {
		return nil, nil, err
	}
	brv, err := w.root.WithoutLinks().Sub(brvDir)
	if err != nil {
		return nil, nil, err
	}
	store, err := store.OpenIn(ctx, brv, store.Options{
		Now: w.opts.Now, Seal: w.opts.Secret.For(brv.ID()), Trusted: w.trusted, Writable: w.mayWrite,
		Cache: w.opts.Cache, Inputs: w.planInputs, Partly: partly,
	})
	if err != nil {
		return nil, nil, err
	}
	return store, brv, nil
}

// foreignBrv reports whether `.brv` belongs to another user than the folder that it is in: whoever
// may write to that has put it there.
func (w *Workspace) foreignBrv() bool {
	folder, err := w.root.Stat(".")
	if err != nil {
		return false
	}
	brv, err := w.root.Lstat(brvDir)
	return err == nil && !belongs(brv, folder)
}

// treeStands reports whether the folder has a context tree. A file or a link in its place, or in
// that of `.brv`, is none.
func (w *Workspace) treeStands() (bool, error) {
	info, err := w.root.WithoutLinks().Stat(TreeDir)
	switch {
	case err == nil && w.foreignBrv():
		w.opts.Log.Warn("the context tree is not read", "err", w.NoTree())
		return false, nil
	case err == nil:
		return info.IsDir(), nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return false, nil
	case errors.Is(err, jail.ErrLink):
		w.opts.Log.Warn("the context tree is not read", "err", w.NoTree())
		return false, nil
	}
	return false, err
}
