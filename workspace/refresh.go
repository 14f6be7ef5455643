package workspace

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/internal/watch"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// changeState are the changes on disk that no view shows yet.
type changeState struct {
	w     *Workspace
	stale chan struct{} // holds a token while changes wait

	mu      sync.Mutex // guards the fields below, and those of codeState that say so
	paths   []string
	all     bool        // any file may have changed
	taken   bool        // a refresh is under way
	looking *time.Timer // see lookAgain

	unrest unrest
}

// DiskChanged says that files may have changed on disk, nil that any may have; it
// returns at once. What comes while a refresh runs is one refresh afterwards.
func (w *Workspace) DiskChanged(paths []string) {
	w.changes.noticed(paths)
	w.changes.later(paths)
}

// later has files read again.
func (d *changeState) later(paths []string) {
	w := d.w
	w.changes.mu.Lock()
	w.changes.all = w.changes.all || paths == nil
	w.changes.paths = append(w.changes.paths, paths...)
	w.changes.mu.Unlock()
	select {
	case w.changes.stale <- struct{}{}:
	default: // the token is there: the loop has yet to take what waits
	}
}

// take returns the changes that wait, nil for everything, and empties the list.
func (d *changeState) take() []string {
	w := d.w
	w.changes.mu.Lock()
	defer w.changes.mu.Unlock()
	paths := append([]string{}, w.changes.paths...) // never nil
	if w.changes.all {
		paths = nil
	}
	w.changes.paths, w.changes.all, w.changes.taken = nil, false, true
	return paths
}

// done says that what was taken is in the view.
func (d *changeState) done() {
	w := d.w
	w.changes.mu.Lock()
	defer w.changes.mu.Unlock()
	w.changes.taken = false
}

// IsTreePath reports whether a workspace path lies in the context tree.
func IsTreePath(p string) bool { return strings.HasPrefix(p, TreeDir+"/") }

// watch follows the folder's own .brv; code is followed by the editor's
// watchers and saves, because a recursive watch of a large repository exhausts
// the system's limit.
func (d *changeState) watch() {
	w := d.w
	ignore := func(dir string) bool { return dir != "." && dir != ".brv" && !strings.HasPrefix(dir+"/", TreeDir+"/") }
	watcher, err := watch.New(w.root.Dir(), watch.Options{
		Ignore: ignore, Files: headFiles, Outside: w.commits.headOutside(), Busy: w.commits.gitBusy,
		Noticed: func(p string) { d.noticed([]string{p}) },
	})
	if err != nil {
		w.opts.Log.Warn("changes on disk are not followed", "err", err)
		return
	}
	defer watcher.Close()
	w.DiskChanged([]string{brvDir}) // what changed since the tree was read and before it was watched
	d.unseen(false)
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

// loop reads again what changed, one batch after the other.
func (d *changeState) loop() {
	w := d.w
	for {
		select {
		case <-w.ctx.Done():
			return
		case <-w.changes.stale:
			// What a client reports of a checkout is one batch too.
			if watch.Settle(w.ctx, w.commits.gitBusy, 0, nil) != nil {
				return
			}
			guarded(w, d.refresh)
		}
	}
}

// refresh reads what waits.
func (d *changeState) refresh() {
	w := d.w
	stir(w)
	paths := d.take()
	defer d.done() // the view is swapped before anybody is told
	if w.root.Renew() {
		paths = nil
	}
	c := Change{Paths: paths}
	c.Tree = w.home.refresh(paths)
	c.Code = w.code.refresh(paths)
	if c.Tree {
		w.DeriveStale()
	}
	c.Settings = paths == nil || slices.Contains(paths, settings.ProjectFile) || slices.Contains(paths, brvDir)
	if (c.Tree || c.Code || c.Settings) && w.opts.Changed != nil {
		w.opts.Changed(c)
	}
}

// refresh reads the tree again if one of the paths lies in it; no paths
// means everything.
func (t *treeState) refresh(paths []string) bool {
	w := t.w
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
	w.home.refreshing.Lock()
	defer w.home.refreshing.Unlock()
	disk, err := t.read(touched)
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
func (t *treeState) lookAgain(store *store.Store) {
	w := t.w
	after, paths := store.LookAgain()
	if after == 0 || !w.opts.Watch && !w.opts.FollowCode {
		return
	}
	for i, p := range paths {
		paths[i] = TreeDir + "/" + p
	}
	w.changes.mu.Lock()
	defer w.changes.mu.Unlock()
	if w.changes.looking != nil {
		w.changes.looking.Stop()
	}
	w.changes.looking = time.AfterFunc(after, func() { w.changes.later(paths) })
}

// read reads the tree, and opens or closes it where the folder came, went or was
// made anew. refreshing is held.
func (t *treeState) read(touched []string) (*tree.Snapshot, error) {
	w := t.w
	w.mu.Lock()
	store, brv := w.store, w.brv
	w.mu.Unlock()
	if store != nil {
		stands, err := t.stands()
		if err == nil && stands && w.root.Holds(brvDir, brv) {
			defer t.lookAgain(store)
			return store.Refresh(w.ctx, touched...)
		} else if err != nil {
			return nil, err
		}
		t.setStore(nil, nil)
		store.Close()
	}
	store, brv, err := t.open(w.ctx, nil)
	if err != nil {
		return nil, err
	}
	if store == nil {
		if before := w.View().disk; before.Len() == 0 && len(before.Skipped()) == 0 {
			return before, nil
		}
		return tree.NewSnapshot(nil, nil), nil
	}
	t.setStore(store, brv)
	return store.Snapshot(), nil
}
