package workspace

import (
	"context"

	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// Revised notes that this process changed the tree or what waits for a review.
func (w *Workspace) Revised() { w.revision.Add(1) }

// Revision is how often it did: what was read of the tree's state is still so as long as it stands.
func (w *Workspace) Revision() int64 { return w.revision.Load() }

// DeriveStale writes the generated files behind the caller's back where the tree
// changed since they were written, by hand or by git, and where we have written
// before; not where the folder is not trusted.
func (w *Workspace) DeriveStale() {
	store, err := w.Store()
	if err != nil || !w.trusted() || !store.Written() || w.home.derived.Swap(store.Snapshot()) == store.Snapshot() {
		return
	}
	w.Go(func() { w.Derive(store, nil) })
}

// Derive writes the generated files, with summaries of a model where body has any. Close waits for
// it, so that a command that ends leaves none stale. One call follows the other: an extract that
// was made before a summary would else be written over it.
func (w *Workspace) Derive(store *store.Store, body func(dir, hash string) format.Prose) {
	w.home.deriving.Lock()
	defer w.home.deriving.Unlock()
	defer func() { w.home.derived.Store(store.Snapshot()) }()
	if _, err := store.Derive(context.WithoutCancel(w.ctx), body); err != nil {
		w.opts.Log.Warn("generated files of the context tree", "err", err)
	}
	w.Adopt(store)
}
