package workspace

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/derived"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/markdown"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// Store returns the tree's store, which the caller may change.
func (w *Workspace) Store() (*store.Store, error) {
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

// Unsaved are the open texts of entries which are not what the disk has, by tree path.
func (w *Workspace) Unsaved() map[string]string {
	v, texts := w.View(), map[string]string{}
	if v == nil {
		return nil
	}
	for p, text := range v.buffers {
		if entry, ok := v.EntryPath(p); ok && w.home.isUnsaved(v, entry, text) {
			texts[entry] = text
		}
	}
	return texts
}

// isUnsaved reports whether an open text is not what the disk has. That is looked at, since what was
// saved this moment may not have been read yet.
func (t *treeState) isUnsaved(v *View, entry, text string) bool {
	w := t.w
	if e, ok := v.disk.Entry(entry); ok && e.Text == text {
		return false
	}
	onDisk, err := w.root.ReadFile(TreeDir+"/"+entry, format.MaxFileSize)
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
func (w *Workspace) Adopt(store *store.Store) {
	w.home.lookAgain(store)
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
	if err != nil || !trusted(w) || !store.Written() || w.home.derived.Swap(store.Snapshot()) == store.Snapshot() {
		return
	}
	w.Go(func() { w.Derive(store, nil) })
}

// Derive writes the generated files, with summaries of a model where body has any. Close waits for
// it, so that a command that ends leaves none stale. One call follows the other: an extract that
// was made before a summary would else be written over it.
func (w *Workspace) Derive(store *store.Store, body derived.Bodies) {
	w.home.deriving.Lock()
	defer w.home.deriving.Unlock()
	defer func() { w.home.derived.Store(store.Snapshot()) }()
	if _, err := store.Derive(context.WithoutCancel(w.ctx), body); err != nil {
		w.opts.Log.Warn("generated files of the context tree", "err", err)
	}
	w.Adopt(store)
}

// planInputs is the store's [store.Options.Inputs]: what is open with unsaved text, and, if they are asked
// for, the comments of code that name entries, as the open buffers have them.
func (t *treeState) planInputs(marks bool) (in plan.Inputs) {
	w := t.w
	in.Unsaved = w.Unsaved()
	if v := w.View(); v != nil && marks {
		in.Marks = codeMarks(v.ForFile(w.ctx, TreeDir+"/"))
	}
	return in
}

// codeMarks lists the comments of code that name entries.
func codeMarks(v *View) (marks []tree.CodeMark) {
	for _, c := range v.Code().Marked() {
		text, ok := v.Text(c.Path)
		for _, m := range c.Marks() {
			if at := markdown.Span(m.At); ok && at.End <= len(text) && strings.HasPrefix(at.Of(text), tree.MarkSign+m.Target) {
				marks = append(marks, tree.CodeMark{Path: c.Path, Line: 1 + strings.Count(text[:at.Start], "\n"), Target: m.Target})
			}
		}
	}
	return marks
}
