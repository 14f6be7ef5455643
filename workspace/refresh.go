package workspace

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/internal/watch"
)

// DiskChanged says that files may have changed on disk, nil that any may have; it
// returns at once. What comes while a refresh runs is one refresh afterwards.
func (w *Workspace) DiskChanged(paths []string) { w.changes.add(paths) }

// watch follows the folder's own .brv; code is followed by the editor's
// watchers and saves, because a recursive watch of a large repository exhausts
// the system's limit.
func (w *Workspace) watch() {
	ignore := func(dir string) bool { return dir != "." && dir != ".brv" && !strings.HasPrefix(dir+"/", TreeDir+"/") }
	watcher, err := watch.New(w.root.Dir(), watch.Options{
		Ignore: ignore, Files: headFiles, Outside: w.commits.headOutside(), Busy: w.commits.gitBusy,
		Noticed: func(p string) { w.changes.note([]string{p}, false) },
	})
	if err != nil {
		w.opts.Log.Warn("the folder cannot be watched, so changes on disk are not seen; for details, run `brv-lsp doctor`", "err", err)
		return
	}
	defer watcher.Close()
	w.DiskChanged([]string{brvDir}) // what changed since the tree was read and before it was watched
	w.changes.unwatched.Store(false)
	for {
		select {
		case <-w.ctx.Done():
			return
		case b, ok := <-watcher.Events():
			if !ok {
				return
			}
			if b.Err != nil {
				w.opts.Log.Warn("not all files can be watched, so changes on disk may be seen late", "err", b.Err)
			}
			if b.Rescan {
				b.Paths = nil
			}
			w.DiskChanged(b.Paths)
		}
	}
}

// loop reads again what changed, one batch after the other.
func (w *Workspace) loop() {
	for {
		select {
		case <-w.ctx.Done():
			return
		case <-w.changes.stale:
			// What a client reports of a checkout is one batch too.
			if watch.Settle(w.ctx, w.commits.gitBusy, 0, nil) != nil {
				return
			}
			w.guarded(w.refresh)
		}
	}
}

// refresh reads what waits.
func (w *Workspace) refresh() {
	w.stir()
	paths := w.changes.take()
	defer w.changes.done() // the view is swapped before anybody is told
	if w.root.Renew() {
		paths = nil
	}
	c := Change{Tree: w.home.refresh(paths), Code: w.code.refresh(paths)}
	w.docs.refresh(paths)
	if c.Tree {
		w.DeriveStale()
	}
	c.Settings = paths == nil || slices.Contains(paths, settings.ProjectFile) || slices.Contains(paths, brvDir)
	if c.Tree || c.Code || c.Settings {
		w.Tell(c)
	}
}
