package workspace

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// codeState is the code as it is read: the first time, and again where it changed.
type codeState struct {
	*shown
	changes  *changeState
	commits  *commitState
	pool     *syntax.Pool
	once     sync.Once     // for the first read
	updating sync.Mutex    // held while changed code is read again
	walks    walks         // of the folder, for what others changed in the code
	patience time.Duration // see WaitWords

	found    chan struct{}     // closed when it is known which files there are, or the read failed
	alone    *codebase.RepoMap // of no files, for texts to be laid over it alone; nil: none. Valid once begun
	complete chan struct{}     // closed when all of it is read, or the read failed; what git knows of it may not be
	plain    *codebase.RepoMap // likewise, for the words and marks of texts without their syntax
	words    chan struct{}     // closed when the code can be searched by its words
	done     chan struct{}     // closed when all of it was read, or the read failed
	err      error             // valid once done is closed

	// Guarded by changeState.mu.
	begun        bool
	ahead        map[string]*fileAhead // the open files that are read before the rest, by path; nil once all is
	pendingPaths []string              // what changed meanwhile
	missedAll    bool                  // anything may have

	unknown atomic.Bool // an answer went without knowing which files there are, and is told when all is read
}

func newCode(p *shown, changes *changeState, commits *commitState) *codeState {
	return &codeState{
		shown: p, changes: changes, commits: commits,
		pool: syntax.NewPool(syntax.Options{Command: p.opts.Worker}), patience: syntaxPatience,
		found: make(chan struct{}), complete: make(chan struct{}), words: make(chan struct{}), done: make(chan struct{}),
	}
}

// scan starts the first read of the code, once.
func (c *codeState) scan() {
	c.once.Do(func() {
		if c.opts.NoCode {
			c.err = ErrNoCode
			close(c.done)
			return
		}
		past := sync.OnceValue(c.commits.readBeside)
		found := sync.OnceFunc(func() { close(c.found) })
		whole := sync.OnceFunc(func() {
			c.changes.mu.Lock()
			defer c.changes.mu.Unlock()
			close(c.complete)
			c.ahead = nil
		})
		opts := codebase.Options{
			Parser: c.pool, Cache: c.opts.Cache, Now: c.opts.Now, Progress: c.progress("Reading the code"),
			Include: c.opts.Include, Exclude: c.opts.Exclude,
			Found: func(files *codebase.RepoMap) {
				c.set(files)
				found()
				c.openFirst()
				past()
			},
			Preliminary: func(early *codebase.RepoMap) {
				c.set(early)
				c.openFirst()
				close(c.words)
				c.tellCode()
			},
		}
		alone, err := codebase.Unread(c.ctx, c.root, opts)
		if err == nil {
			c.plain, err = codebase.Unread(c.ctx, c.root, codebase.Options{Include: opts.Include, Exclude: opts.Exclude})
		}
		if err == nil {
			c.set(alone)
		}
		c.changes.mu.Lock()
		c.begun, c.alone, c.ahead = true, alone, map[string]*fileAhead{}
		c.changes.mu.Unlock()
		started := c.Go(func() {
			defer c.catchUp()
			defer whole()
			defer found()
			c.walks.began(c.opts.Now())
			var code *codebase.RepoMap
			if err == nil {
				code, err = alone.Scan(c.ctx)
			}
			known := past()
			c.TellProgress(Progress{Title: "Reading the code", End: true})
			if err != nil {
				c.err = err
				if c.ctx.Err() == nil {
					c.opts.Log.Warn("code", "err", err)
				}
				return
			}
			c.set(code)
			whole()
			c.logPartial(code)
			c.tellCode()
			c.commits.await(known)
			c.Go(func() { c.keep(code) })
		})
		if !started {
			c.err = ErrClosed
			close(c.done)
		}
	})
}

// openFirst holds the first read back, not longer than an answer waits, until what is open, and what
// open entries name, is read: that is asked about now.
func (c *codeState) openFirst() {
	short, cancel := c.View().Within(c.ctx, codePatience)
	defer cancel()
	if v, err := c.View().withOpen(short); err == nil && v.open == nil { // something is open
		v.Links()
	}
}

// keep writes what was read to the cache. It is made again where that fails.
func (c *codeState) keep(code *codebase.RepoMap) {
	if err := code.Save(); err != nil {
		c.opts.Log.Debug("cache of the code", "err", err)
	}
	c.stir()
}

// logPartial says how much of the code is known only in part.
func (c *codeState) logPartial(code *codebase.RepoMap) {
	partial := 0
	for _, c := range code.Chunks() {
		if c.Partial != "" {
			partial++
		}
	}
	if skipped := len(code.Skipped()); partial+skipped > 0 {
		c.opts.Log.Warn("some code is not known; `brv-lsp check --code` lists it", "read in part", partial, "not read", skipped)
	}
}

func (c *codeState) progress(title string) func(done, total int) {
	if c.opts.Progress == nil {
		return nil
	}
	return func(done, total int) { c.opts.Progress(Progress{Title: title, Done: done, Total: total}) }
}

// set makes a map the present one, with what is known of its history.
func (c *codeState) set(code *codebase.RepoMap) {
	c.stir()
	c.mu.Lock()
	defer c.mu.Unlock()
	if code.History() != c.commits.past {
		code = code.WithHistory(c.commits.past)
	}
	c.view.Store(withCode(c.view.Load(), code))
}

// putOff notes what changes while the code is read for the first time, and reports
// whether that is so: a file may have been read before it changed. Before the first
// read has begun there is nothing to note.
func (c *codeState) putOff(paths []string, all bool) bool {
	c.changes.mu.Lock()
	defer c.changes.mu.Unlock()
	if Over(c.done) {
		return false
	}
	if c.begun {
		c.pendingPaths = append(c.pendingPaths, paths...)
		c.missedAll = c.missedAll || all
	}
	return true
}

// catchUp closes done, and has what changed meanwhile read again.
func (c *codeState) catchUp() {
	c.changes.mu.Lock()
	close(c.done)
	missed, all := c.pendingPaths, c.missedAll
	c.changes.mu.Unlock()
	switch {
	case all:
		c.changes.add(nil)
	case len(missed) > 0:
		c.changes.add(missed)
	}
}

// beginning reports whether the code is being read for the first time.
func (c *codeState) beginning() bool {
	c.changes.mu.Lock()
	defer c.changes.mu.Unlock()
	return c.alone != nil && !Over(c.complete)
}

// readAlready are the texts of the files that were read ahead.
func (c *codeState) readAlready() map[string]string {
	c.changes.mu.Lock()
	defer c.changes.mu.Unlock()
	texts := map[string]string{}
	for p, file := range c.ahead {
		if file.ready() {
			texts[p] = file.text
		}
	}
	return texts
}

// fileAhead is the map of one file.
type fileAhead struct {
	text string
	lazy[*codebase.RepoMap]
}

// readAhead begins to read a file alone, if that is not done yet.
func (c *codeState) readAhead(p, text string) (*fileAhead, *try[*codebase.RepoMap]) {
	c.changes.mu.Lock()
	file := c.ahead[p]
	if file == nil || file.text != text {
		file = &fileAhead{text: text}
		if c.ahead != nil {
			c.ahead[p] = file
		}
	}
	c.changes.mu.Unlock()
	return file, file.begin(c.core, func() (*codebase.RepoMap, error) {
		return c.alone.With(c.ctx, map[string]string{p: text})
	})
}

// walks are the looks at the whole folder for code that changed, one at a time.
type walks struct {
	mu   sync.Mutex // guards the rest
	last time.Time  // when the last one began
	took time.Duration
	done chan struct{}
}

// ended is the end of a walk that is over.
var ended = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// began notes a walk whose end is waited for elsewhere.
func (k *walks) began(at time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last, k.done = at, ended
}

// ended notes how long a walk took.
func (k *walks) ended(began time.Time) {
	took := time.Since(began)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.took = took
}

// ErrNoCode is the error of answers about code where none is read.
var ErrNoCode = errors.New("no code is read: the setting brv.code.scan is off")

// syntaxPatience is how long an answer that words alone can give waits for the syntax of
// a tree that is read for the first time.
const syntaxPatience = 1500 * time.Millisecond
