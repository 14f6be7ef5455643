package workspace

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/seal"
	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/internal/work"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// brvDir is where a folder keeps what is ours.
const brvDir = ".brv"

// TreeDir is where it keeps its context tree.
const TreeDir = brvDir + "/" + tree.Dir

// Options say how a folder is opened. The zero value reads it once and answers.
type Options struct {
	Now    func() time.Time // the clock; time.Now if nil
	Log    *slog.Logger     // discards if nil
	Worker []string         // the syntax worker's command; this executable if nil
	Cache  string           // folder outside the workspace for what can be made again; none if ""
	Secret *seal.Secret     // of the user, which marks what is kept of changes; if nil, one of this process
	// Forgotten is called once where something is written that only this process will know as the
	// user's, with the reason; a warning is logged if nil.
	Forgotten func(reason error)
	Watch     bool // follow changes on disk
	CodeScan  bool // start reading the code at once, not when first needed
	// FollowCode looks for changed code before an answer that needs it, at most twice a
	// second: for a program that no editor tells of changes, such as an agent's server.
	FollowCode bool
	NoCode     bool     // read no code at all
	Include    []string // globs of the files that belong to the map; none: all code
	Exclude    []string // globs of files and folders that do not, besides ignore files
	// Trusted allows more than reading and what somebody asks for, see [Workspace.Trusted].
	Trusted   bool
	Untrusted string         // why it is not trusted
	Changed   func(Change)   // called from an own goroutine after the disk changed
	Progress  func(Progress) // called while code is read, a large tree, and while a model writes an answer
	// Patience is how long Open waits for the context tree. What takes longer is read behind
	// its back, see [View.Reading]; then Changed is called. 0: until it is read.
	Patience time.Duration
	Reading  func() // called before a part of the tree is read, which waits for it: for tests
	// Unhurried answers wait for whatever makes them better, and Open for the tree, as long
	// as it takes: those of tests do not depend on the machine.
	Unhurried bool
}

// WithCode sets which code is read.
func (o Options) WithCode(c settings.Code) Options {
	o.NoCode, o.Include, o.Exclude = !c.Scan, c.Include, c.Exclude
	return o
}

// Change tells what a refresh found.
type Change struct {
	Tree     bool     // the context tree changed
	Code     bool     // the repo map changed
	Settings bool     // the project's settings may have changed
	Missed   bool     // what an answer went without is known now: whoever asked may ask again
	Drift    bool     // how an entry fits the code became known after somebody went on without it
	Paths    []string // the paths that caused the refresh, empty if unknown
}

// Progress tells how far a long read is, or an answer in tokens.
type Progress struct {
	Title       string
	Done, Total int
	End         bool
}

// Workspace is one opened folder. What moves in it is in parts, each with its own locks. Who
// holds several has taken them in this order:
//
//	treeState.deriving, treeState.refreshing,       held for as long as work on the disk takes:
//	commitState.reading, codeState.updating         one of them at a time
//	lazy.mu, walks.mu, and those of features        such work is begun (see Memory)
//	Workspace.mu                                    the view is swapped, a goroutine is started
//	unrest.mu, changeState.mu                       a field or two; so are those not named here
type Workspace struct {
	opts      Options
	root      *jail.Root
	engine    retrieval.Engine
	model     atomic.Pointer[modelInUse] // nil: none
	untrusted atomic.Pointer[untrusted]  // nil: trusted
	view      atomic.Pointer[View]

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu    sync.Mutex // guards swaps of view, store, brv, and what commits knows
	store *store.Store
	brv   *jail.Root // the folder that store works on, which closes it

	home    treeState   // the context tree on disk
	changes changeState // on disk that no view shows yet
	code    codeState
	commits commitState // what git knows

	lastSearch atomic.Pointer[SearchOf] // of the view whose index was ready last
	memory     sync.Map                 // see Memory
	uses       uses                     // of entries, that wait to be counted
	tasks      tasks                    // see Working
	revision   atomic.Int64             // see Revision
	quiet      quiet
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
	w := &Workspace{opts: o, root: r, engine: engine, quiet: quiet{give: release}}
	w.home = treeState{w: w, arrived: make(chan struct{})}
	w.changes = changeState{w: w, stale: make(chan struct{}, 1)}
	w.commits = commitState{w: w}
	w.code = codeState{
		w: w, found: make(chan struct{}), whole: make(chan struct{}), words: make(chan struct{}), done: make(chan struct{}),
		patience: SyntaxPatience,
	}
	w.code.pool = syntax.NewPool(syntax.Options{Command: o.Worker})
	w.untrusted.Store(trust(o.Trusted, o.Untrusted))
	w.ctx, w.cancel = context.WithCancel(context.Background())
	if err := w.home.openFirst(ctx); err != nil {
		w.Close()
		return nil, err
	}
	start(w)
	return w, nil
}

// firstView is a view of a tree without code or buffers.
func firstView(w *Workspace, disk *tree.Snapshot, reading bool) *View {
	return newView(w, state{code: codebase.Empty(), openMap: &lazy[*codebase.RepoMap]{}, part: reading}.onDisk(disk))
}

// start runs the goroutines that live until Close.
func start(w *Workspace) {
	if w.opts.Watch {
		w.changes.unseen(true) // until then
		w.work.Go(func() { guarded(w, w.changes.watch) })
	}
	w.work.Go(w.changes.loop)
	if w.opts.CodeScan {
		w.code.scan()
		if Over(w.home.arrived) {
			warm(w)
		}
	}
}

// warm prepares what the first questions would wait for.
func warm(w *Workspace) {
	if !w.opts.CodeScan {
		return
	}
	v := w.View()
	v.index.begin(w, v.makeIndex)
}

// Close stops all work and releases the folder. Views stay readable.
func (w *Workspace) Close() error {
	flushUses(w)
	w.quiet.end()
	w.mu.Lock() // no Go is between its look at ctx and its start
	w.cancel()
	w.mu.Unlock()
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

// ErrClosed is returned for what would start work after Close.
var ErrClosed = errors.New("the workspace is closed")

// Go runs f in a goroutine that Close waits for; false after Close.
func (w *Workspace) Go(f func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ctx.Err() != nil {
		return false
	}
	w.work.Go(func() { guarded(w, f) })
	return true
}

// guarded runs f in a goroutine that no request waits in: its panic is a line in the log.
func guarded(w *Workspace, f func()) {
	if err := work.Safely(func() error { f(); return nil }); err != nil {
		w.opts.Log.Error("work on "+w.Root(), "err", err)
	}
}

// Within limits how long an answer waits for what only makes it better.
func (v *View) Within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if v.ws.opts.Unhurried {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}

// Life ends when the workspace is closed.
func (w *Workspace) Life() context.Context { return w.ctx }

// Now is the time, by the clock that the workspace was opened with.
func (w *Workspace) Now() time.Time { return w.opts.Now() }

// Logger is where the workspace reports to whoever runs it.
func (w *Workspace) Logger() *slog.Logger { return w.opts.Log }

// Serves reports whether the program goes on after an answer: a command ends soon.
func (w *Workspace) Serves() bool { return w.opts.Watch || w.opts.FollowCode }

// tasks are what is being done.
type tasks struct {
	mu    sync.Mutex // guards items
	items []string
}

// Working notes that something is being done which a dream does not come between, as "the tree is
// being changed", until done is called.
func (w *Workspace) Working(what string) (done func()) {
	l := &w.tasks
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items = append(l.items, what)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if i := slices.Index(l.items, what); i >= 0 {
			l.items = slices.Delete(l.items, i, i+1)
		}
	}
}

// UnderWay says what is being done, what was begun first of it; "" for nothing.
func (w *Workspace) UnderWay() string {
	l := &w.tasks
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.items) == 0 {
		return ""
	}
	return l.items[0]
}

// Tell tells the program of a change, if it listens.
func (w *Workspace) Tell(c Change) {
	if w.opts.Changed != nil && w.ctx.Err() == nil {
		w.opts.Changed(c)
	}
}

// TellProgress tells the program how far something is, if it listens.
func (w *Workspace) TellProgress(p Progress) {
	if w.opts.Progress != nil {
		w.opts.Progress(p)
	}
}

// Root is the folder's absolute path.
func (w *Workspace) Root() string { return w.root.Dir() }

// HasTree reports whether the folder has a context tree.
func (w *Workspace) HasTree() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.store != nil || w.view.Load().part
}

// View returns the present state.
func (w *Workspace) View() *View { return w.view.Load() }

// Overlay lays an editor's unsaved text over a file. It never blocks on the
// disk, so that it can run where requests are read.
func (w *Workspace) Overlay(p, text string) {
	stir(w)
	w.mu.Lock()
	v := w.view.Load()
	buffers := maps.Clone(v.buffers)
	if buffers == nil {
		buffers = map[string]string{}
	}
	_, open := buffers[p]
	buffers[p] = text
	w.view.Store(withBuffers(v, buffers, p))
	w.mu.Unlock()
	if !open {
		w.code.opened(p, text)
	}
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
	w.view.Store(withBuffers(v, buffers, p))
}
