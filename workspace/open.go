package workspace

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/panics"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// Open opens the folder root. A folder without a context tree opens as an empty
// one. It writes nothing.
func Open(ctx context.Context, root string, o Options) (*Workspace, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	r, err := jail.Open(root)
	if err != nil {
		return nil, err
	}
	o.Others = append(o.Others[:len(o.Others):len(o.Others)], Outer(r.Dir(), o.Others)...)
	c := newCore(r, o)
	engine, err := retrieval.New(retrieval.Options{Cache: o.Cache, Root: c.shared, Meaning: c.meaning})
	reasons, failed := newReasons(c)
	if err = cmp.Or(err, failed); err != nil {
		r.Close()
		return nil, err
	}
	p := &shown{core: c, engine: engine}
	changes := &changeState{core: p.core, stale: make(chan struct{}, 1)}
	home := &treeState{shown: p, changes: changes, arrived: NewStage(), tracked: tracked{core: p.core}}
	commits := &commitState{shown: p, home: home}
	code := newCode(p, changes, commits)
	w := &Workspace{shown: p, home: home, changes: changes, commits: commits, code: code, docs: newDocuments(p.core),
		others: &otherTrees{core: p.core}, near: newNeighbours(p.core, code.pool), reasons: reasons, uses: &uses{home: home}}
	if err := w.openFirst(ctx); err != nil {
		w.Close()
		return nil, err
	}
	w.start()
	return w, nil
}

// firstView is a view of a tree without code or buffers.
func firstView(w *Workspace, disk *tree.Snapshot, reading bool) *View {
	return newView(w, state{code: codebase.Empty(), openMap: newOpenMap(), part: reading}.onDisk(disk))
}

// start runs the goroutines that live until Close.
func (w *Workspace) start() {
	if w.opts.Watch {
		w.changes.unwatched.Store(true) // until then
		w.work.Go(func() { w.guarded(w.watch) })
	}
	w.work.Go(w.loop)
	if w.opts.CodeScan {
		w.code.scan()
		if w.home.arrived.Over() {
			w.warm()
		}
	}
}

// warm prepares what the first questions would wait for.
func (w *Workspace) warm() {
	if !w.opts.CodeScan {
		return
	}
	v := w.View()
	v.index.begin(w.core, v.makeIndex)
}

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

// openFirst opens the context tree, and with it the first view.
func (w *Workspace) openFirst(ctx context.Context) error {
	w.view.Store(firstView(w, tree.NewSnapshot(nil, nil), false))
	if w.opts.NoTree {
		w.home.arrived.End(nil)
		return nil // start has the code read
	}
	if w.opts.Patience <= 0 || w.opts.Unhurried {
		if w.opts.CodeScan && !w.Serves() { // beside the tree
			w.Go(w.code.scan)
		}
		store, brv, err := w.home.open(ctx, nil)
		if err == nil && store != nil {
			w.home.setStore(store, brv)
			w.home.show(store.Snapshot(), false)
			w.Go(w.commits.dateAgain)
		}
		w.home.arrived.End(err)
		return err
	}
	stands, err := w.stands()
	if err != nil || !stands {
		w.home.arrived.End(err)
		return err
	}
	w.view.Store(firstView(w, tree.NewSnapshot(nil, nil), true))
	reading, stop := context.WithCancel(w.ctx)
	unlink := context.AfterFunc(ctx, stop)
	patience, done := context.WithTimeout(ctx, w.opts.Patience)
	defer done()
	var small atomic.Bool
	w.home.refreshing.Lock() // until it is read: a refresh would read it again
	w.work.Go(func() {
		defer stop()
		err := panics.Try(func() error { return w.arrive(reading, patience, &small) })
		w.home.refreshing.Unlock()
		w.home.arrived.End(err)
		if patience.Err() != nil && w.ctx.Err() == nil {
			w.guarded(func() { w.settle(err) })
		}
	})
	_ = w.home.arrived.Wait(patience)
	if ctx.Err() != nil || small.Load() {
		_ = w.home.arrived.Wait(context.Background()) // soon: ctx ends it
	}
	unlink()
	if w.home.arrived.Over() {
		return w.home.arrived.err
	}
	return nil
}

// arrive reads the tree and swaps it in. refreshing is held.
func (w *Workspace) arrive(ctx, patience context.Context, small *atomic.Bool) error {
	late := func() bool { return patience.Err() != nil }
	store, brv, err := w.home.open(ctx, func(part *tree.Snapshot, done, total int) {
		small.Store(total <= smallTree)
		if late() {
			w.TellProgress(Progress{Title: readingTree, Done: done, Total: total})
		}
		w.home.show(part, true)
		if v := w.View(); 0 < part.Len() && part.Len() <= earlySearch {
			v.index.begin(w.core, v.makeIndex)
		}
		if w.opts.Reading != nil {
			w.opts.Reading()
		}
	})
	if late() {
		w.TellProgress(Progress{Title: readingTree, End: true})
	}
	if err != nil || store == nil {
		w.home.show(tree.NewSnapshot(nil, nil), false)
		return err
	}
	w.home.setStore(store, brv)
	w.home.show(store.Snapshot(), false)
	return nil
}

// readingTree is the title of the read.
const readingTree = "Reading the context tree"

// settle tells who went on without the whole tree that it is there.
func (w *Workspace) settle(err error) {
	if err != nil {
		w.opts.Log.Warn("the context tree cannot be read", "folder", w.Root(), "err", err)
	}
	w.Revised()
	w.warm()
	w.Go(w.commits.dateAgain) // what was read before the tree dated no entries
	w.Tell(Change{Tree: true})
}

// WaitTree waits until the context tree is read.
func (w *Workspace) WaitTree(ctx context.Context) error {
	if err := w.home.arrived.Wait(ctx); !w.home.arrived.Over() {
		return err
	}
	return nil
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
	w.swap(func(now *View) *View {
		if v = now; now.part {
			v = newView(w, now.onDisk(now.disk.Update(found)))
		}
		return v
	})
	return v
}

// OpenOther opens one of the user's other trees to change it.
func (w *Workspace) OpenOther(ctx context.Context, name string) (*Workspace, error) {
	for _, o := range w.opts.Others {
		if o.Name == name {
			return Open(ctx, o.Dir, Options{Now: w.opts.Now, Log: w.opts.Log, Cache: w.opts.Cache, Secret: w.opts.Secret,
				Forgotten: w.opts.Forgotten, NoCode: true, NoDocuments: true, Trusted: true})
		}
	}
	return nil, fmt.Errorf("%w: there is no tree %q on this machine; `brv-lsp tree list` lists the trees", ErrRequest, name)
}
