package workspace

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/panics"
	"github.com/brv-lsp/brv-lsp/internal/seal"
	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
)

// brvDir is the folder of this program's data in a project.
const brvDir = ".brv"

// TreeDir is the folder of the context tree.
const TreeDir = brvDir + "/" + tree.Dir

// Options configure an open folder. The zero value reads the folder once and answers.
type Options struct {
	Now    func() time.Time // the clock; time.Now if nil
	Log    *slog.Logger     // discards if nil
	Worker []string         // the syntax worker's command; this executable if nil
	Cache  string           // folder outside the workspace for what can be made again; none if ""
	Secret *seal.Secret     // of the user, which marks what is kept of changes; if nil, one of this process
	// Forgotten is called once, with the reason, if changes are sealed with a key that ends with this
	// process; if nil, a warning is logged.
	Forgotten func(reason error)
	Watch     bool // follow changes on disk
	CodeScan  bool // start reading the code at once, not when first needed
	// FollowCode looks for changed code before an answer that needs it, at most twice a second: for a program
	// without an editor that reports changes, such as an agent's server.
	FollowCode bool
	NoTree     bool     // read no context tree: for what asks of the code alone
	NoGraph    bool     // do not look up what imports lead to: for what asks of the code by names and texts alone
	NoCode     bool     // read no code at all
	Include    []string // globs of the files that belong to the map; none: all code
	Exclude    []string // globs of files and folders that do not, besides ignore files

	NoDocuments bool // the repository's own documents are not read
	NoPages     bool // editors show nothing of them, see [PagesIn]
	Documents   documents.Options
	Others      []Other // trees that are read beside the folder's own
	// Neighbours are absolute paths of other repositories, see [Workspace.Neighbours]; Peers what the session has open beside
	// this folder.
	Neighbours []string
	Peers      func() []*Workspace
	// Trusted allows more than reading and requested actions, see [Workspace.Trusted].
	Trusted   bool
	Untrusted string         // why it is not trusted
	Changed   func(Change)   // called from an own goroutine after the disk changed
	Progress  func(Progress) // called while code is read, a large tree, and while a model writes an answer
	// Patience is how long Open waits for the context tree. A slower read continues in the background, see
	// [View.Reading]; then Changed is called. 0: until it is read.
	Patience time.Duration
	Reading  func() // called before a part of the tree is read, which waits for it: for tests
	// Unhurried makes answers wait for everything that improves them, and Open for the tree, without limit,
	// so that tests do not depend on the machine.
	Unhurried bool
}

// WithCode sets which code is read.
func (o Options) WithCode(c settings.Code) Options {
	o.NoCode, o.Include, o.Exclude = !c.Scan, c.Include, c.Exclude
	o.Neighbours = append(o.Neighbours[:len(o.Neighbours):len(o.Neighbours)], c.Neighbours...)
	return o
}

// WithDocuments sets which documents are read.
func (o Options) WithDocuments(d settings.Documents) Options {
	o.NoDocuments, o.NoPages = !d.Read, !d.Read || !d.Editor
	o.Documents = documents.Options{Include: d.Include, Exclude: d.Exclude}
	return o
}

// Change describes the findings of a refresh.
type Change struct {
	Tree      bool // the context tree changed
	Code      bool // the repo map changed
	Settings  bool // the project's settings may have changed
	Completed bool // data that an answer lacked is now known: the caller may ask again
	Drift     bool // the fit of an entry to the code became known after an answer went on without it
}

// Progress tells how far a long read is, or an answer in tokens.
type Progress struct {
	Title       string
	Done, Total int
	End         bool
}

// core is shared by the parts of a workspace: the folder, how it was opened, and the goroutines
// that live until it is closed.
type core struct {
	opts      Options
	root      *jail.Root
	shared    string                    // see [core.Shared]
	untrusted atomic.Pointer[untrusted] // nil: trusted

	ctx      context.Context // ends with Close
	cancel   context.CancelFunc
	work     sync.WaitGroup
	starting sync.Mutex // held while a goroutine is started, and while ctx ends

	tasks tasks // see Working
	idle  idle

	encoder atomic.Pointer[retrieval.Meaning]
}

// SetMeaning sets the encoder's store for the searches, or removes it (nil). It is used in a trusted folder
// only.
func (c *core) SetMeaning(s *retrieval.Meaning) {
	if old := c.encoder.Swap(s); old != nil && old != s {
		old.Close()
	}
}

// EncoderPatience is how long a question waits until an encoder has read every passage, and for its own
// vector if that is not 0. A server can read on later; a process that is started for one question has no
// second try.
func (c *core) EncoderPatience() time.Duration {
	switch {
	case c.opts.Unhurried:
		return time.Hour
	case c.Serves():
		return 0
	}
	return time.Duration(Answer)
}

// meaning returns the encoder's store for searches, nil if there is none or the folder is not trusted.
func (c *core) meaning() *retrieval.Meaning {
	if !c.trusted() {
		return nil
	}
	return c.encoder.Load()
}

// newCore opens a folder.
func newCore(root *jail.Root, o Options) *core {
	c := &core{opts: o, root: root, shared: cmp.Or(git.Shared(root.Dir()), root.Dir())}
	c.idle.give = func() { c.guarded(release) }
	c.untrusted.Store(trust(o.Trusted, o.Untrusted))
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// ErrClosed is returned by calls that would start work after Close.
var ErrClosed = errors.New("the workspace is closed")

// Go runs f in a goroutine that Close waits for; false after Close.
func (c *core) Go(f func()) bool {
	c.starting.Lock()
	defer c.starting.Unlock()
	if c.ctx.Err() != nil {
		return false
	}
	c.work.Go(func() { c.guarded(f) })
	return true
}

// guarded runs f in a goroutine outside of requests: a panic is logged.
func (c *core) guarded(f func()) {
	if err := panics.Try(func() error { f(); return nil }); err != nil {
		c.opts.Log.Error("work on "+c.Root(), "err", err)
	}
}

// Cache is the folder for what can be made again, "" for none.
func (c *core) Cache() string { return c.opts.Cache }

// Shared identifies the cache entries, keyed by content or by commit, that the folder shares with the other
// working trees of its repository: see [git.Shared]. Without a repository it is the folder.
func (c *core) Shared() string { return c.shared }

// Life ends when the workspace is closed.
func (c *core) Life() context.Context { return c.ctx }

// Now is the time, by the clock that the workspace was opened with.
func (c *core) Now() time.Time { return c.opts.Now() }

// Logger is where the workspace reports to whoever runs it.
func (c *core) Logger() *slog.Logger { return c.opts.Log }

// Serves reports whether the program continues after an answer, unlike a command.
func (c *core) Serves() bool { return c.opts.Watch || c.opts.FollowCode }

// tasks counts the work in progress.
type tasks struct {
	mu    sync.Mutex // guards items
	items []string
}

// Working registers work that a dream must not interrupt, such as "the tree is being changed", until done is
// called.
func (c *core) Working(what string) (done func()) {
	l := &c.tasks
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

// UnderWay returns the description of the work in progress that started first, "" if there is none.
func (c *core) UnderWay() string {
	l := &c.tasks
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.items) == 0 {
		return ""
	}
	return l.items[0]
}

// Tell tells the program of a change, if it listens.
func (c *core) Tell(change Change) {
	if c.opts.Changed != nil && c.ctx.Err() == nil {
		c.opts.Changed(change)
	}
}

// TellProgress tells the program how far something is, if it listens.
func (c *core) TellProgress(p Progress) {
	if c.opts.Progress != nil {
		c.opts.Progress(p)
	}
}

// Root is the folder's absolute path.
func (c *core) Root() string { return c.root.Dir() }

// IsTreePath reports whether a workspace path lies in the context tree.
func IsTreePath(p string) bool { return strings.HasPrefix(p, TreeDir+"/") }

// untrusted says why a folder is not trusted; nil where it is.
type untrusted struct{ reason string }

// notGranted is the reason where the program gives none.
const notGranted = "the folder is not trusted"

func trust(trusted bool, reason string) *untrusted {
	if trusted {
		return nil
	}
	return &untrusted{cmp.Or(reason, notGranted)}
}

// Trusted reports whether the folder is trusted, and if not why. In an untrusted folder neither git nor a
// model is used, and files are only written by requested actions.
func (c *core) Trusted() (bool, string) {
	if u := c.untrusted.Load(); u != nil {
		return false, u.reason
	}
	return true, ""
}

func (c *core) trusted() bool { return c.untrusted.Load() == nil }

// stir records that something changed, or that there was a request.
func (c *core) stir() {
	if c.Serves() { // a command ends soon
		c.idle.stir()
	}
}

// tellCode tells the program that more is known of the code.
func (c *core) tellCode() { c.Tell(Change{Code: true}) }

// WithOthers sets the user's other trees.
func (o Options) WithOthers(config string) Options {
	if config != "" {
		o.Others = OthersIn(config)
	}
	return o
}
