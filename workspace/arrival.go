package workspace

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/internal/work"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// A tree of 100,000 files takes some ten seconds to read. Who opens a folder with
// [Options.Patience] gets it before that, and then answers rest on what has been read so
// far, on what [Workspace.Around] looks up below the tree, and say so. Nothing is judged by
// it: there are no problems, and changes wait for the whole tree.

// Limits of what is looked up below the tree for one document: 256 files of usual size are
// read in some 15 ms.
const maxAround = 256

// smallTree is how many files a tree may have that is waited for however busy the machine is.
const smallTree = 1000

// earlySearch is up to how many entries a part of the tree is indexed while the rest is
// read: some 0.5 s of processor time.
const earlySearch = 5000

// partOfTree is what an answer does without while the tree is read.
const partOfTree = "entries that are not read yet: the context tree is still being read"

// partOfSearch is what it does without between that and the first search of the whole tree.
const partOfSearch = "entries that are not indexed yet: the context tree is large and was opened a moment ago"

// ErrReading is returned for changes of a tree that is still being read.
var ErrReading = errors.New("the context tree is still being read; try again in a moment")

// openFirst opens the context tree, and with it the first view.
func (t *treeState) openFirst(ctx context.Context) error {
	w := t.w
	w.view.Store(firstView(w, tree.NewSnapshot(nil, nil), false))
	if w.opts.Patience <= 0 || w.opts.Unhurried {
		store, brv, err := t.open(ctx, nil)
		if err == nil && store != nil {
			w.store, w.brv = store, brv
			w.view.Store(firstView(w, store.Snapshot(), false))
		}
		close(t.arrived)
		return err
	}
	stands, err := t.stands()
	if err != nil || !stands {
		close(t.arrived)
		return err
	}
	w.view.Store(firstView(w, tree.NewSnapshot(nil, nil), true))
	reading, stop := context.WithCancel(w.ctx)
	unlink := context.AfterFunc(ctx, stop)
	patience, done := context.WithTimeout(ctx, w.opts.Patience)
	defer done()
	var small atomic.Bool
	t.refreshing.Lock() // until it is read: a refresh would read it again
	w.work.Go(func() {
		defer stop()
		t.err = work.Safely(func() error { return t.arrive(reading, patience, &small) })
		t.refreshing.Unlock()
		close(t.arrived)
		if patience.Err() != nil && w.ctx.Err() == nil {
			guarded(w, t.settle)
		}
	})
	select {
	case <-t.arrived:
	case <-patience.Done():
	}
	if ctx.Err() != nil || small.Load() {
		<-t.arrived // soon: ctx ends it
	}
	unlink()
	if Over(t.arrived) {
		return t.err
	}
	return nil
}

// arrive reads the tree and swaps it in. refreshing is held.
func (t *treeState) arrive(ctx, patience context.Context, small *atomic.Bool) error {
	w := t.w
	late := func() bool { return w.opts.Progress != nil && patience.Err() != nil }
	store, brv, err := t.open(ctx, func(part *tree.Snapshot, done, total int) {
		small.Store(total <= smallTree)
		if late() {
			w.opts.Progress(Progress{Title: readingTree, Done: done, Total: total})
		}
		w.home.swap(part, true)
		if v := w.View(); 0 < part.Len() && part.Len() <= earlySearch {
			v.index.begin(w, v.makeIndex)
		}
		if w.opts.Reading != nil {
			w.opts.Reading()
		}
	})
	if late() {
		w.opts.Progress(Progress{Title: readingTree, End: true})
	}
	if err != nil || store == nil {
		w.home.swap(tree.NewSnapshot(nil, nil), false)
		return err
	}
	t.setStore(store, brv)
	w.home.swap(store.Snapshot(), false)
	return nil
}

// readingTree is the title of the read.
const readingTree = "Reading the context tree"

// settle tells who went on without the whole tree that it is there.
func (t *treeState) settle() {
	w := t.w
	if w.home.err != nil {
		w.opts.Log.Warn("the context tree cannot be read", "folder", w.Root(), "err", w.home.err)
	}
	w.Revised()
	warm(w)
	if past, read := w.Past().(*history.Past); read { // before the tree: it dated no entries
		w.Go(func() { w.commits.dateEntries(w.ctx, past) })
	}
	if w.opts.Changed != nil {
		w.opts.Changed(Change{Tree: true})
	}
}

// swap shows another tree on disk to readers; reading says that it is a part of it.
func (t *treeState) swap(disk *tree.Snapshot, reading bool) {
	w := t.w
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.view.Load().onDisk(disk)
	s.part = reading
	w.view.Store(newView(w, s))
}

// Reading reports whether the context tree of the view is only what of it was read so far.
func (v *View) Reading() bool { return v.part }

// WaitTree waits until the context tree is read.
func (w *Workspace) WaitTree(ctx context.Context) error {
	select {
	case <-w.home.arrived:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Unmet says why a relation leads nowhere, "" if it leads to an entry.
func (v *View) Unmet(r tree.Relation) string {
	if v.part && r.Target == "" && !r.Escapes {
		return "the context tree is still being read: where " + r.Raw + " leads is not known yet"
	}
	return r.Problem()
}

// Entry is an entry of the tree, of which while it is read only a part need be known.
func (v *View) Entry(p string) (*format.Entry, bool) {
	e, ok := v.Tree().Entry(p)
	if !ok && v.part {
		return store.ReadOne(v.ws.root, TreeDir, p)
	}
	return e, ok
}

// Around is the present view. While the tree is read, it has the file at a workspace path
// and what that refers to: those are looked up on disk.
func (w *Workspace) Around(p string) *View {
	v := w.View()
	if !v.part {
		return v
	}
	found := map[string]*format.Entry{}
	look := func(entry string) *format.Entry {
		e, ok := v.Entry(entry)
		if _, known := v.Tree().Entry(entry); ok && !known {
			found[entry] = e
		}
		return e
	}
	entry, isEntry := v.EntryPath(p)
	var from *format.Entry
	if isEntry {
		from = look(entry)
	} else if text, ok := v.Text(p); ok {
		from = format.Parse(p, text)
	}
	if from != nil {
		for _, near := range store.Nearby(from, maxAround) {
			look(near)
		}
	}
	if len(found) == 0 {
		return v
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	v = w.view.Load()
	if !v.part {
		return v
	}
	v = newView(w, v.onDisk(v.disk.Update(found)))
	w.view.Store(v)
	return v
}

// Partial reports whether requests do not wait for the search: the tree is being read, or
// was, in parts, and the search of all of it was never ready.
func (v *View) Partial() (missing string, ok bool) {
	if v.part {
		return partOfTree, true
	}
	last := v.ws.lastSearch.Load()
	if last != nil && last.part && !v.index.ready() {
		return partOfSearch, true
	}
	return "", false
}
