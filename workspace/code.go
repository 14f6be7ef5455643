package workspace

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// codeState is the code as it is read: the first time, and again where it changed.
type codeState struct {
	w          *Workspace
	pool       *syntax.Pool
	once       sync.Once     // for the first read
	linker     linker        // of the code on disk
	openLinker linker        // of the code as the open buffers have it
	updating   sync.Mutex    // held while changed code is read again
	walks      walks         // of the folder, for what others changed in the code
	patience   time.Duration // see WaitWords

	found chan struct{}     // closed when it is known which files there are, or the read failed
	alone *codebase.RepoMap // of no files, for texts to be laid over it alone; nil: none. Valid once begun
	whole chan struct{}     // closed when all of it is read, or the read failed; what git knows of it may not be
	plain *codebase.RepoMap // likewise, for the words and marks of texts without their syntax
	words chan struct{}     // closed when the code can be searched by its words
	done  chan struct{}     // closed when all of it was read, or the read failed
	err   error             // valid once done is closed

	// Guarded by changeState.mu.
	begun     bool
	ahead     map[string]*fileAhead // the open files that are read before the rest, by path; nil once all is
	missed    []string              // what changed meanwhile
	missedAll bool                  // anything may have

	unknown atomic.Bool // an answer went without knowing which files there are, and is told when all is read
}

// scan starts the first read of the code, once.
func (c *codeState) scan() {
	w := c.w
	w.code.once.Do(func() {
		if w.opts.NoCode {
			c.err = ErrNoCode
			close(c.done)
			return
		}
		past := sync.OnceValue(w.commits.readBeside)
		found := sync.OnceFunc(func() { close(c.found) })
		whole := sync.OnceFunc(func() {
			w.changes.mu.Lock()
			defer w.changes.mu.Unlock()
			close(c.whole)
			c.ahead = nil
		})
		opts := codebase.Options{
			Parser: w.code.pool, Cache: w.opts.Cache, Now: w.opts.Now, Progress: c.progress("Reading the code"),
			Include: w.opts.Include, Exclude: w.opts.Exclude,
			Found: func(files *codebase.RepoMap) {
				c.set(files)
				found()
				c.openFirst()
				past()
			},
			Early: func(early *codebase.RepoMap) {
				c.set(early)
				c.openFirst()
				close(c.words)
				c.tell()
			},
		}
		alone, err := codebase.Unread(w.ctx, w.root, opts)
		if err == nil {
			c.plain, err = codebase.Unread(w.ctx, w.root, codebase.Options{Include: opts.Include, Exclude: opts.Exclude})
		}
		if err == nil {
			c.set(alone)
		}
		w.changes.mu.Lock()
		c.begun, c.alone, c.ahead = true, alone, map[string]*fileAhead{}
		w.changes.mu.Unlock()
		started := w.Go(func() {
			defer c.catchUp()
			defer whole()
			defer found()
			w.code.walks.began(w.opts.Now())
			var code *codebase.RepoMap
			if err == nil {
				code, err = alone.Scan(w.ctx)
			}
			known := past()
			w.TellProgress(Progress{Title: "Reading the code", End: true})
			if err != nil {
				c.err = err
				if w.ctx.Err() == nil {
					w.opts.Log.Warn("code", "err", err)
				}
				return
			}
			c.set(code)
			whole()
			c.logPartial(code)
			c.tell()
			w.commits.await(known)
			w.Go(func() { c.keep(code) })
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
	w := c.w
	short, cancel := w.View().Within(w.ctx, codePatience)
	defer cancel()
	if v, err := w.View().withOpen(short); err == nil && v.open == nil { // something is open
		v.Links()
	}
}

// ErrNoCode is what answers about code end with where none is read.
var ErrNoCode = errors.New("no code is read: the setting brv.code.scan is off")

// keep writes what was read to the cache. It is made again where that fails.
func (c *codeState) keep(code *codebase.RepoMap) {
	w := c.w
	if err := code.Save(); err != nil {
		w.opts.Log.Debug("cache of the code", "err", err)
	}
	stir(w)
}

func (c *codeState) tell() {
	w := c.w
	if w.opts.Changed != nil {
		w.opts.Changed(Change{Code: true})
	}
}

// WaitCode starts the first read of the code if nobody has, and waits for it.
func (w *Workspace) WaitCode(ctx context.Context) error {
	w.code.scan()
	if Over(w.code.done) { // even after the end of ctx
		return w.code.err
	}
	select {
	case <-w.code.done:
		return w.code.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// SyntaxPatience is how long an answer that words alone can give waits for the syntax of
// a tree that is read for the first time.
const SyntaxPatience = 1500 * time.Millisecond

// WaitWords waits as WaitCode does, but not longer than patience once the code can
// be searched by its words.
func (w *Workspace) WaitWords(ctx context.Context) error {
	w.code.scan()
	if Over(w.code.done) {
		return w.code.err
	}
	enough := time.NewTimer(w.code.patience)
	defer enough.Stop()
	select {
	case <-w.code.done:
		return w.code.err
	case <-ctx.Done():
		return ctx.Err()
	case <-enough.C:
	}
	select {
	case <-w.code.done:
		return w.code.err
	case <-w.code.words:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// logPartial says how much of the code is known only in part.
func (c *codeState) logPartial(code *codebase.RepoMap) {
	w := c.w
	partial := 0
	for _, c := range code.Chunks() {
		if c.Partial != "" {
			partial++
		}
	}
	if skipped := len(code.Skipped()); partial+skipped > 0 {
		w.opts.Log.Warn("some code is not known; `brv-lsp check --code` lists it", "read in part", partial, "not read", skipped)
	}
}

func (c *codeState) progress(title string) func(done, total int) {
	w := c.w
	if w.opts.Progress == nil {
		return nil
	}
	return func(done, total int) { w.opts.Progress(Progress{Title: title, Done: done, Total: total}) }
}

// set makes a map the present one, with what is known of its history.
func (c *codeState) set(code *codebase.RepoMap) {
	w := c.w
	stir(w)
	w.mu.Lock()
	defer w.mu.Unlock()
	if code.History() != w.commits.past {
		code = code.WithHistory(w.commits.past)
	}
	w.view.Store(withCode(w.view.Load(), code))
}

// putOff notes what changes while the code is read for the first time, and reports
// whether that is so: a file may have been read before it changed. Before the first
// read has begun there is nothing to note.
func (c *codeState) putOff(paths []string, all bool) bool {
	w := c.w
	w.changes.mu.Lock()
	defer w.changes.mu.Unlock()
	if Over(c.done) {
		return false
	}
	if c.begun {
		c.missed = append(c.missed, paths...)
		c.missedAll = c.missedAll || all
	}
	return true
}

// catchUp closes done, and has what changed meanwhile read again.
func (c *codeState) catchUp() {
	w := c.w
	w.changes.mu.Lock()
	close(c.done)
	missed, all := c.missed, c.missedAll
	w.changes.mu.Unlock()
	switch {
	case all:
		w.DiskChanged(nil)
	case len(missed) > 0:
		w.DiskChanged(missed)
	}
}

// refresh reads the changed code files again; no paths means all. What comes
// before the first read has ended is put off until then.
func (c *codeState) refresh(paths []string) bool {
	w := c.w
	var code []string
	for _, p := range paths {
		if !IsTreePath(p) {
			code = append(code, p)
		}
	}
	if c.putOff(code, paths == nil) {
		return false
	}
	if paths != nil && code == nil || c.err != nil {
		return false
	}
	if paths == nil || slices.ContainsFunc(code, MovesHead) {
		w.Go(func() {
			w.ReadHistory(w.ctx)
			c.tell()
		})
		code = []string{"."} // a switch of branches is one walk, not hundreds of files
	}
	return c.update(code, nil)
}

// update reads changed code files again, and reports whether that gave another
// map. The refresh loop and [Workspace.follow] call it, one at a time, so that neither
// undoes what the other saw.
func (c *codeState) update(paths []string, same func(before, next *codebase.RepoMap) bool) bool {
	w := c.w
	w.code.updating.Lock()
	defer w.code.updating.Unlock()
	before := w.View().code
	next, err := before.Update(w.ctx, paths)
	if err != nil {
		if w.ctx.Err() == nil {
			w.opts.Log.Warn("code", "err", err)
		}
		return false
	}
	if next == before || same != nil && same(before, next) {
		return false
	}
	c.set(next)
	return true
}
