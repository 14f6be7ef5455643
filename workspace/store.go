package workspace

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree"
)

// Store returns the tree's store, which the caller may change.
func (w *Workspace) Store() (*tree.Store, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.store == nil && w.view.Load().part {
		return nil, ErrReading
	}
	if w.store == nil {
		return nil, w.NoTree()
	}
	return w.store, nil
}

// Unsaved reports whether a file of the tree is open with other text than it has on disk
// now, what was saved this moment may not have been read yet, or is to have: the buffer of
// a file that was archived may still be open when that is restored.
func (w *Workspace) Unsaved(entry, next string) bool {
	v := w.View()
	if v == nil {
		return false
	}
	text, open := v.buffers[v.FilePath(entry)]
	if e, ok := v.disk.Entry(entry); !open || text == next || ok && e.Text == text {
		return false
	}
	onDisk, err := w.root.ReadFile(TreeDir+"/"+entry, tree.MaxFileSize)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return true
	}
	return strings.TrimPrefix(string(onDisk), byteOrderMark) != strings.TrimPrefix(text, byteOrderMark)
}

// byteOrderMark stands before the text of some files, and is left out by some editors.
const byteOrderMark = "\ufeff"

// Revised notes that this process changed the tree or what waits for a review.
func (w *Workspace) Revised() { w.revision.Add(1) }

// Revision is how often it did: what was read of the tree's state is still so as long as it stands.
func (w *Workspace) Revision() int64 { return w.revision.Load() }

// Adopt shows the store's newest snapshot to readers.
func (w *Workspace) Adopt(store *tree.Store) {
	w.lookAgain(store)
	w.mu.Lock()
	defer w.mu.Unlock()
	if v := w.view.Load(); w.store == store && v.disk != store.Snapshot() {
		w.view.Store(newView(w, v.onDisk(store.Snapshot())))
	}
}

// DeriveStale writes the generated files behind the caller's back where the tree
// changed since they were written, by hand or by git, and where we have written
// before; not where the folder is not trusted.
func (w *Workspace) DeriveStale() {
	store, err := w.Store()
	if err != nil || !w.trusted() || !store.Written() || w.derived.Swap(store.Snapshot()) == store.Snapshot() {
		return
	}
	w.Go(func() { w.Derive(store, nil) })
}

// Derive writes the generated files, with summaries of a model where body has any. Close waits for
// it, so that a command that ends leaves none stale. One call follows the other: an extract that
// was made before a summary would else be written over it.
func (w *Workspace) Derive(store *tree.Store, body tree.Bodies) {
	w.deriving.Lock()
	defer w.deriving.Unlock()
	defer func() { w.derived.Store(store.Snapshot()) }()
	if _, err := store.Derive(context.WithoutCancel(w.ctx), body); err != nil {
		w.opts.Log.Warn("generated files of the context tree", "err", err)
	}
	w.Adopt(store)
}

// stranded is the workspace's [tree.Stranded].
func (w *Workspace) stranded(before, after *tree.Snapshot, went map[string]string) []tree.Comment {
	return w.View().OpenProject(w.ctx, TreeDir+"/").Stranded(before, after, went)
}
