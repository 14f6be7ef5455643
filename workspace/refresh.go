package workspace

import (
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/internal/watch"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// DiskChanged says that files may have changed on disk, nil that any may have; it
// returns at once. What comes while a refresh runs is one refresh afterwards.
func (w *Workspace) DiskChanged(paths []string) {
	w.noticed(paths)
	w.refreshLater(paths)
}

// refreshLater has files read again.
func (w *Workspace) refreshLater(paths []string) {
	w.waiting.Lock()
	w.changedAll = w.changedAll || paths == nil
	w.changed = append(w.changed, paths...)
	w.waiting.Unlock()
	select {
	case w.stale <- struct{}{}:
	default: // the token is there: the loop has yet to take what waits
	}
}

// take returns the changes that wait, nil for everything, and empties the list.
func (w *Workspace) take() []string {
	w.waiting.Lock()
	defer w.waiting.Unlock()
	paths := append([]string{}, w.changed...) // never nil
	if w.changedAll {
		paths = nil
	}
	w.changed, w.changedAll, w.taken = nil, false, true
	return paths
}

// done says that what was taken is in the view.
func (w *Workspace) done() {
	w.waiting.Lock()
	defer w.waiting.Unlock()
	w.taken = false
}

// IsTreePath reports whether a workspace path lies in the context tree.
func IsTreePath(p string) bool { return strings.HasPrefix(p, TreeDir+"/") }

// watch follows the folder's own .brv; code is followed by the editor's
// watchers and saves, because a recursive watch of a large repository exhausts
// the system's limit.
func (w *Workspace) watch() {
	ignore := func(dir string) bool { return dir != "." && dir != ".brv" && !strings.HasPrefix(dir+"/", TreeDir+"/") }
	watcher, err := watch.New(w.root.Dir(), watch.Options{
		Ignore: ignore, Files: headFiles, Outside: w.headOutside(), Busy: w.gitBusy,
		Noticed: func(p string) { w.noticed([]string{p}) },
	})
	if err != nil {
		w.opts.Log.Warn("changes on disk are not followed", "err", err)
		return
	}
	defer watcher.Close()
	w.DiskChanged([]string{brvDir}) // what changed since the tree was read and before it was watched
	w.unseen(false)
	for {
		select {
		case <-w.ctx.Done():
			return
		case b, ok := <-watcher.Events():
			if !ok {
				return
			}
			if b.Err != nil {
				w.opts.Log.Warn("changes on disk may be seen late", "err", b.Err)
			}
			if b.Rescan {
				b.Paths = nil
			}
			w.DiskChanged(b.Paths)
		}
	}
}

// refreshLoop reads again what changed, one batch after the other.
func (w *Workspace) refreshLoop() {
	for {
		select {
		case <-w.ctx.Done():
			return
		case <-w.stale:
			// What a client reports of a checkout is one batch too.
			if watch.Settle(w.ctx, w.gitBusy, 0, nil) != nil {
				return
			}
			w.guarded(w.refresh)
		}
	}
}

// refresh reads what waits.
func (w *Workspace) refresh() {
	w.stir()
	paths := w.take()
	defer w.done() // the view is swapped before anybody is told
	if w.root.Renew() {
		paths = nil
	}
	c := Change{Paths: paths}
	c.Tree = w.refreshTree(paths)
	c.Code = w.refreshCode(paths)
	if c.Tree {
		w.DeriveStale()
	}
	c.Settings = paths == nil || slices.Contains(paths, settings.ProjectFile) || slices.Contains(paths, brvDir)
	if (c.Tree || c.Code || c.Settings) && w.opts.Changed != nil {
		w.opts.Changed(c)
	}
}

// refreshTree reads the tree again if one of the paths lies in it; no paths
// means everything.
func (w *Workspace) refreshTree(paths []string) bool {
	var touched []string
	for _, p := range paths {
		if p == ".brv" || p == TreeDir {
			touched = append(touched, "")
		} else if IsTreePath(p) {
			touched = append(touched, strings.TrimPrefix(p, TreeDir+"/"))
		}
	}
	if paths != nil && touched == nil {
		return false
	}
	w.refreshing.Lock()
	defer w.refreshing.Unlock()
	disk, err := w.readTree(touched)
	if err != nil {
		if w.ctx.Err() == nil {
			w.opts.Log.Warn("context tree", "err", err)
		}
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.store != nil {
		disk = w.store.Snapshot() // a change of our own may have come since it was read
	}
	v := w.view.Load()
	if v.disk == disk {
		return false
	}
	w.view.Store(newView(w, v.onDisk(disk)))
	if late := disk.LateSaves(); len(late) > len(v.disk.LateSaves()) {
		w.opts.Log.Warn("another program saved an entry as it was replaced",
			"problem", late[len(late)-1].Problem().Message)
	}
	return true
}

// lookAgain has files read again of which nobody may say that they changed.
func (w *Workspace) lookAgain(store *store.Store) {
	after, paths := store.LookAgain()
	if after == 0 || !w.opts.Watch && !w.opts.FollowCode {
		return
	}
	for i, p := range paths {
		paths[i] = TreeDir + "/" + p
	}
	w.waiting.Lock()
	defer w.waiting.Unlock()
	if w.looking != nil {
		w.looking.Stop()
	}
	w.looking = time.AfterFunc(after, func() { w.refreshLater(paths) })
}

// readTree reads the tree, and opens or closes it where the folder came, went or was
// made anew. refreshing is held.
func (w *Workspace) readTree(touched []string) (*tree.Snapshot, error) {
	w.mu.Lock()
	store, brv := w.store, w.brv
	w.mu.Unlock()
	if store != nil {
		stands, err := w.treeStands()
		if err == nil && stands && w.root.Holds(brvDir, brv) {
			defer w.lookAgain(store)
			return store.Refresh(w.ctx, touched...)
		} else if err != nil {
			return nil, err
		}
		w.setStore(nil, nil)
		store.Close()
	}
	store, brv, err := w.openTree(w.ctx, nil)
	if err != nil {
		return nil, err
	}
	if store == nil {
		if before := w.View().disk; before.Len() == 0 && len(before.Skipped()) == 0 {
			return before, nil
		}
		return tree.NewSnapshot(nil, nil), nil
	}
	w.setStore(store, brv)
	return store.Snapshot(), nil
}
