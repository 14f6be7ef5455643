package workspace

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/watch"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
)

// Where a folder keeps what is ours, and its context tree.
const (
	brvDir  = ".brv"
	treeDir = brvDir + "/" + tree.Dir
)

// Options say how a folder is opened. The zero value reads it once and answers.
type Options struct {
	Now      func() time.Time // the clock; time.Now if nil
	Log      *slog.Logger     // discards if nil
	Worker   []string         // the syntax worker's command; this executable if nil
	Cache    string           // folder outside the workspace for what can be made again; none if ""
	Watch    bool             // follow changes on disk
	CodeScan bool             // start reading the code at once, not when first needed
	// FollowCode looks for changed code before an answer that needs it, at most twice a
	// second: for a program that no editor tells of changes, such as an agent's server.
	FollowCode bool
	Changed    func(Change)   // called from an own goroutine after the disk changed
	Progress   func(Progress) // called while code is read
}

// Change tells what a refresh found.
type Change struct {
	Tree  bool     // the context tree changed
	Code  bool     // the repo map changed
	Drift bool     // how an entry fits the code became known after somebody went on without it
	Paths []string // the paths that caused the refresh, empty if unknown
}

// Progress tells how far a long read is.
type Progress struct {
	Title       string
	Done, Total int
	End         bool
}

// Workspace is one opened folder.
type Workspace struct {
	opts   Options
	root   *jail.Root
	pool   *syntax.Pool
	engine retrieval.Engine
	ladder *retrieval.Ladder
	model  atomic.Pointer[llm.Model] // nil: none
	view   atomic.Pointer[View]

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	work   sync.WaitGroup
	stale  chan struct{} // holds a token while changes wait

	mu    sync.Mutex // guards store and swaps of view
	store *tree.Store

	waiting    sync.Mutex // guards the changes that wait for a refresh or for the first read of the code
	changed    []string
	changedAll bool // any file may have changed

	refreshing sync.Mutex // held by refreshTree: the loop and Init both call it

	linker     linker // of the code on disk
	openLinker linker // of the code as the open buffers have it

	drifts  drifts                        // how entries no longer fit the code
	uses    uses                          // of entries, that wait to be counted
	derived atomic.Pointer[tree.Snapshot] // for which generated files were looked at last

	updating sync.Mutex // held while changed code is read again
	walks    walks      // of the folder, for what others changed in the code
	packs    packs      // those made last
	memory   *pack.Memory

	codeOnce sync.Once
	code     codeState
	patience time.Duration // see waitWords

	reading sync.Mutex       // held while the history is read
	past    *history.History // nil: none; guarded by mu
}

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
	engine, err := retrieval.New(retrieval.Options{Cache: o.Cache, Root: r.Dir()})
	if err != nil {
		r.Close()
		return nil, err
	}
	w := &Workspace{opts: o, root: r, engine: engine, stale: make(chan struct{}, 1), memory: pack.NewMemory(), patience: patience, code: codeState{words: make(chan struct{}), done: make(chan struct{})}}
	w.pool = syntax.NewPool(syntax.Options{Command: o.Worker})
	w.ladder = w.newLadder()
	w.ctx, w.cancel = context.WithCancel(context.Background())
	disk := tree.NewSnapshot(nil, nil)
	if w.store, err = w.openTree(ctx); err != nil {
		w.Close()
		return nil, err
	}
	if w.store != nil {
		disk = w.store.Snapshot()
	}
	w.view.Store(newView(w, state{code: codebase.Empty(), openMap: &lazy[*codebase.RepoMap]{}}.onDisk(disk)))
	w.start()
	return w, nil
}

// openTree opens the context tree, nil if the folder has none.
func (w *Workspace) openTree(ctx context.Context) (*tree.Store, error) {
	if info, err := w.root.Stat(treeDir); errors.Is(err, fs.ErrNotExist) || (err == nil && !info.IsDir()) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return tree.Open(ctx, path.Join(w.root.Dir(), brvDir), tree.Options{Now: w.opts.Now, Cache: w.opts.Cache})
}

// start runs the goroutines that live until Close.
func (w *Workspace) start() {
	if w.opts.Watch {
		w.work.Go(w.watch)
	}
	w.work.Go(w.refreshLoop)
	if w.opts.CodeScan {
		w.scanCode()
		v := w.View()
		v.index.begin(w, v.makeIndex) // so that the first question need not wait for it
	}
}

// Close stops all work and releases the folder. Views stay readable.
func (w *Workspace) Close() error {
	w.flushUses()
	w.mu.Lock() // no spawn is between its look at ctx and its start
	w.cancel()
	w.mu.Unlock()
	w.work.Wait()
	w.pool.Close()
	err := w.engine.Close()
	if w.store != nil {
		err = errors.Join(err, w.store.Close())
	}
	return errors.Join(err, w.root.Close())
}

// errClosed is returned for what would start work after Close.
var errClosed = errors.New("the workspace is closed")

// spawn runs f in a goroutine that Close waits for; false after Close.
func (w *Workspace) spawn(f func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ctx.Err() != nil {
		return false
	}
	w.work.Go(f)
	return true
}

// Root is the folder's absolute path.
func (w *Workspace) Root() string { return w.root.Dir() }

// HasTree reports whether the folder has a context tree.
func (w *Workspace) HasTree() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.store != nil
}

// View returns the present state.
func (w *Workspace) View() *View { return w.view.Load() }

// Overlay lays an editor's unsaved text over a file. It never blocks on the
// disk, so that it can run where requests are read.
func (w *Workspace) Overlay(p, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	v := w.view.Load()
	buffers := maps.Clone(v.buffers)
	if buffers == nil {
		buffers = map[string]string{}
	}
	buffers[p] = text
	w.view.Store(v.withBuffers(buffers, p))
}

// Drop ends an overlay: the disk counts again.
func (w *Workspace) Drop(p string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	v := w.view.Load()
	if _, ok := v.buffers[p]; !ok {
		return
	}
	buffers := maps.Clone(v.buffers)
	delete(buffers, p)
	w.view.Store(v.withBuffers(buffers, p))
}

// DiskChanged says that files may have changed on disk, nil that any may have; it
// returns at once. What comes while a refresh runs is one refresh afterwards.
func (w *Workspace) DiskChanged(paths []string) {
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
	w.changed, w.changedAll = nil, false
	return paths
}

func isTreePath(p string) bool { return strings.HasPrefix(p, treeDir+"/") }

// watch follows the folder's own .brv; code is followed by the editor's
// watchers and saves, because a recursive watch of a large repository exhausts
// the system's limit.
func (w *Workspace) watch() {
	ignore := func(dir string) bool { return dir != "." && dir != ".brv" && !strings.HasPrefix(dir+"/", treeDir+"/") }
	watcher, err := watch.New(w.root.Dir(), watch.Options{Ignore: ignore, Files: headFiles, Busy: w.gitBusy})
	if err != nil {
		w.opts.Log.Warn("changes on disk are not followed", "err", err)
		return
	}
	defer watcher.Close()
	for {
		select {
		case <-w.ctx.Done():
			return
		case b, ok := <-watcher.Events():
			if !ok {
				return
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
			paths := w.take()
			c := Change{Paths: paths}
			c.Tree = w.refreshTree(paths)
			c.Code = w.refreshCode(paths)
			if c.Tree {
				w.deriveStale()
			}
			if (c.Tree || c.Code) && w.opts.Changed != nil {
				w.opts.Changed(c)
			}
		}
	}
}

// refreshTree reads the tree again if one of the paths lies in it; no paths
// means everything.
func (w *Workspace) refreshTree(paths []string) bool {
	var touched []string
	for _, p := range paths {
		if p == ".brv" || p == treeDir {
			touched = append(touched, "")
		} else if isTreePath(p) {
			touched = append(touched, strings.TrimPrefix(p, treeDir+"/"))
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
	return true
}

// readTree reads the tree, and opens or closes it where the folder came or went.
// refreshing is held.
func (w *Workspace) readTree(touched []string) (*tree.Snapshot, error) {
	w.mu.Lock()
	store := w.store
	w.mu.Unlock()
	if store != nil {
		if _, err := w.root.Stat(treeDir); errors.Is(err, fs.ErrNotExist) {
			w.mu.Lock()
			w.store = nil
			w.mu.Unlock()
			store.Close()
			return tree.NewSnapshot(nil, nil), nil
		}
		return store.Refresh(w.ctx, touched...)
	}
	store, err := w.openTree(w.ctx)
	if err != nil || store == nil {
		return w.View().disk, err
	}
	w.mu.Lock()
	w.store = store
	w.mu.Unlock()
	return store.Snapshot(), nil
}
