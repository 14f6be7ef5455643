package workspace

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
)

// codeState is the first read of the code.
type codeState struct {
	found chan struct{}     // closed when it is known which files there are, or the read failed
	alone *codebase.RepoMap // of no files, for texts to be laid over it alone; nil: none. Valid once begun
	whole chan struct{}     // closed when all of it is read, or the read failed; what git knows of it may not be
	plain *codebase.RepoMap // likewise, for the words and marks of texts without their syntax
	words chan struct{}     // closed when the code can be searched by its words
	done  chan struct{}     // closed when all of it was read, or the read failed
	err   error             // valid once done is closed

	// Guarded by Workspace.waiting.
	begun     bool
	ahead     map[string]*fileAhead // the open files that are read before the rest, by path; nil once all is
	missed    []string              // what changed meanwhile
	missedAll bool                  // anything may have
}

// scanCode starts the first read of the code, once.
func (w *Workspace) scanCode() {
	w.codeOnce.Do(func() {
		if w.opts.NoCode {
			w.code.err = ErrNoCode
			close(w.code.done)
			return
		}
		past := sync.OnceValue(w.readHistoryBeside)
		found := sync.OnceFunc(func() { close(w.code.found) })
		whole := sync.OnceFunc(func() {
			w.waiting.Lock()
			defer w.waiting.Unlock()
			close(w.code.whole)
			w.code.ahead = nil
		})
		opts := codebase.Options{
			Parser: w.pool, Cache: w.opts.Cache, Now: w.opts.Now, Progress: w.progress("Reading the code"),
			Include: w.opts.Include, Exclude: w.opts.Exclude,
			Found: func(files *codebase.RepoMap) {
				w.setCode(files)
				found()
				w.openCodeFirst()
				past()
			},
			Early: func(early *codebase.RepoMap) {
				w.setCode(early)
				w.openCodeFirst()
				close(w.code.words)
				w.tellCode()
			},
		}
		alone, err := codebase.Unread(w.ctx, w.root, opts)
		if err == nil {
			w.code.plain, err = codebase.Unread(w.ctx, w.root, codebase.Options{Include: opts.Include, Exclude: opts.Exclude})
		}
		if err == nil {
			w.setCode(alone)
		}
		w.waiting.Lock()
		w.code.begun, w.code.alone, w.code.ahead = true, alone, map[string]*fileAhead{}
		w.waiting.Unlock()
		started := w.Go(func() {
			defer w.catchUp()
			defer whole()
			defer found()
			w.walks.began(w.opts.Now())
			var code *codebase.RepoMap
			if err == nil {
				code, err = alone.Scan(w.ctx)
			}
			known := past()
			w.TellProgress(Progress{Title: "Reading the code", End: true})
			if err != nil {
				w.code.err = err
				if w.ctx.Err() == nil {
					w.opts.Log.Warn("code", "err", err)
				}
				return
			}
			w.setCode(code)
			whole()
			w.logPartial(code)
			w.tellCode()
			w.await(known)
			w.Go(func() { w.keepCode(code) })
		})
		if !started {
			w.code.err = ErrClosed
			close(w.code.done)
		}
	})
}

// openCodeFirst holds the first read back, not longer than an answer waits, until what is open, and what
// open entries name, is read: that is asked about now.
func (w *Workspace) openCodeFirst() {
	short, cancel := w.View().Within(w.ctx, codePatience)
	defer cancel()
	if v, err := w.View().withOpen(short); err == nil && v.open == nil { // something is open
		v.Links()
	}
}

// ErrNoCode is what answers about code end with where none is read.
var ErrNoCode = errors.New("no code is read: the setting brv.code.scan is off")

// keepCode writes what was read to the cache. It is made again where that fails.
func (w *Workspace) keepCode(code *codebase.RepoMap) {
	if err := code.Save(); err != nil {
		w.opts.Log.Debug("cache of the code", "err", err)
	}
	w.stir()
}

func (w *Workspace) tellCode() {
	if w.opts.Changed != nil {
		w.opts.Changed(Change{Code: true})
	}
}

// WaitCode starts the first read of the code if nobody has, and waits for it.
func (w *Workspace) WaitCode(ctx context.Context) error {
	w.scanCode()
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
	w.scanCode()
	if Over(w.code.done) {
		return w.code.err
	}
	enough := time.NewTimer(w.patience)
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
func (w *Workspace) logPartial(code *codebase.RepoMap) {
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

func (w *Workspace) progress(title string) func(done, total int) {
	if w.opts.Progress == nil {
		return nil
	}
	return func(done, total int) { w.opts.Progress(Progress{Title: title, Done: done, Total: total}) }
}

// setCode makes a map the present one, with what is known of its history.
func (w *Workspace) setCode(code *codebase.RepoMap) {
	w.stir()
	w.mu.Lock()
	defer w.mu.Unlock()
	if code.History() != w.past {
		code = code.WithHistory(w.past)
	}
	w.view.Store(w.view.Load().withCode(code))
}

// putOff notes what changes while the code is read for the first time, and reports
// whether that is so: a file may have been read before it changed. Before the first
// read has begun there is nothing to note.
func (w *Workspace) putOff(paths []string, all bool) bool {
	w.waiting.Lock()
	defer w.waiting.Unlock()
	if Over(w.code.done) {
		return false
	}
	if w.code.begun {
		w.code.missed = append(w.code.missed, paths...)
		w.code.missedAll = w.code.missedAll || all
	}
	return true
}

// catchUp closes done, and has what changed meanwhile read again.
func (w *Workspace) catchUp() {
	w.waiting.Lock()
	close(w.code.done)
	missed, all := w.code.missed, w.code.missedAll
	w.waiting.Unlock()
	switch {
	case all:
		w.DiskChanged(nil)
	case len(missed) > 0:
		w.DiskChanged(missed)
	}
}

// refreshCode reads the changed code files again; no paths means all. What comes
// before the first read has ended is put off until then.
func (w *Workspace) refreshCode(paths []string) bool {
	var code []string
	for _, p := range paths {
		if !IsTreePath(p) {
			code = append(code, p)
		}
	}
	if w.putOff(code, paths == nil) {
		return false
	}
	if paths != nil && code == nil || w.code.err != nil {
		return false
	}
	if paths == nil || slices.ContainsFunc(code, MovesHead) {
		w.Go(func() {
			w.ReadHistory(w.ctx)
			w.tellCode()
		})
		code = []string{"."} // a switch of branches is one walk, not hundreds of files
	}
	return w.updateCode(code, nil)
}

// updateCode reads changed code files again, and reports whether that gave another
// map. The refresh loop and [Workspace.follow] call it, one at a time, so that neither
// undoes what the other saw.
func (w *Workspace) updateCode(paths []string, same func(before, next *codebase.RepoMap) bool) bool {
	w.updating.Lock()
	defer w.updating.Unlock()
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
	w.setCode(next)
	return true
}
