package workspace

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// treeState is the context tree on disk, as it is opened, read and written.
type treeState struct {
	w          *Workspace
	refreshing sync.Mutex // held by refresh: the loop and Init both call it

	derived  atomic.Pointer[tree.Snapshot] // for which generated files were looked at last
	deriving sync.Mutex                    // held while they are written

	arrived chan struct{} // closed when the tree was read, or cannot be
	err     error         // why it cannot; valid once arrived is closed

	forgets sync.Once // for Options.Forgotten
	tracked tracked   // whether git has what is personal
}

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
	if w.home.foreign() {
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

func (t *treeState) setStore(store *store.Store, brv *jail.Root) {
	w := t.w
	w.mu.Lock()
	defer w.mu.Unlock()
	w.store, w.brv = store, brv
}

// open opens the context tree, nil if the folder has none. partly is told of its parts.
func (t *treeState) open(ctx context.Context, partly func(part *tree.Snapshot, done, total int)) (*store.Store, *jail.Root, error) {
	w := t.w
	if stands, err := t.stands(); err != nil || !stands {
		return nil, nil, err
	}
	brv, err := w.root.WithoutLinks().Sub(brvDir)
	if err != nil {
		return nil, nil, err
	}
	store, err := store.OpenIn(ctx, brv, store.Options{
		Now: w.opts.Now, Seal: w.opts.Secret.For(brv.ID()), Trusted: func() bool { return trusted(w) }, Writable: t.mayWrite,
		Cache: w.opts.Cache, Inputs: t.planInputs, Partly: partly,
	})
	if err != nil {
		return nil, nil, err
	}
	return store, brv, nil
}

// foreign reports whether `.brv` belongs to another user than the folder that it is in: whoever
// may write to that has put it there.
func (t *treeState) foreign() bool {
	w := t.w
	folder, err := w.root.Stat(".")
	if err != nil {
		return false
	}
	brv, err := w.root.Lstat(brvDir)
	return err == nil && !belongs(brv, folder)
}

// stands reports whether the folder has a context tree. A file or a link in its place, or in
// that of `.brv`, is none.
func (t *treeState) stands() (bool, error) {
	w := t.w
	info, err := w.root.WithoutLinks().Stat(TreeDir)
	switch {
	case err == nil && t.foreign():
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
