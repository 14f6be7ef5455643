package workspace

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// Workspace is one opened folder. What moves in it is in parts, each with its own locks. Who
// holds several has taken them in this order:
//
//	treeState.deriving, treeState.refreshing,       held for as long as work on the disk takes:
//	commitState.reading, codeState.updating         one of them at a time
//	lazy.mu, walks.mu, and those of features        such work is begun (see Memory)
//	present.mu                                      the view is swapped
//	unrest.mu, changeState.mu                       a field or two; so are those not named here
type Workspace struct {
	*present
	home     *treeState   // the context tree on disk
	changes  *changeState // on disk that no view shows yet
	code     *codeState
	commits  *commitState               // what git knows
	model    atomic.Pointer[modelInUse] // nil: none
	memory   sync.Map                   // see Memory
	uses     *uses                      // of entries, that wait to be counted
	revision atomic.Int64               // see Revision
}

// Close stops all work and releases the folder. Views stay readable.
func (w *Workspace) Close() error {
	w.uses.flush()
	w.quiet.end()
	w.starting.Lock()
	w.cancel()
	w.starting.Unlock()
	w.work.Wait()
	w.changes.mu.Lock()
	if w.changes.looking != nil {
		w.changes.looking.Stop()
	}
	w.changes.mu.Unlock()
	w.code.pool.Close()
	err := w.engine.Close()
	if w.store != nil {
		err = errors.Join(err, w.store.Close())
	}
	return errors.Join(err, w.root.Close())
}

// Past tells what files were in earlier commits; nil: that is not known, or not yet.
func (w *Workspace) Past() link.Past {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.commits.revisions
}

// ReadHistory brings what git knows of the files up to date. Without git, or
// without a repository, or in a folder that is not trusted, the ranking does without it.
func (w *Workspace) ReadHistory(ctx context.Context) { w.commits.read(ctx) }

// Adopt shows the store's newest snapshot to readers.
func (w *Workspace) Adopt(store *store.Store) { w.home.adopt(store) }

// TrackedFile is a file of the folder's personal state that git tracks, "" for none.
func (w *Workspace) TrackedFile() string { return w.home.tracked.name() }

// Used notes that entries were used; see [View.Used].
func (w *Workspace) Used(entries ...string) { w.uses.note(entries) }
