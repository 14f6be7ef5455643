package workspace

import (
	"context"

	"github.com/brv-lsp/brv-lsp/codebase"
)

// scanCode starts the first read of the code, once.
func (w *Workspace) scanCode() {
	w.codeOnce.Do(func() {
		started := w.spawn(func() {
			defer close(w.codeDone)
			code, err := codebase.Scan(w.ctx, w.root, codebase.Options{Parser: w.pool, Progress: w.progress("Reading the code")})
			if w.opts.Progress != nil {
				w.opts.Progress(Progress{Title: "Reading the code", End: true})
			}
			if err != nil {
				w.codeErr = err
				if w.ctx.Err() == nil {
					w.opts.Log.Warn("code", "err", err)
				}
				return
			}
			w.setCode(code)
			w.logPartial(code)
			if w.opts.Changed != nil {
				w.opts.Changed(Change{Code: true})
			}
		})
		if !started {
			w.codeErr = errClosed
			close(w.codeDone)
		}
	})
}

// WaitCode starts the first read of the code if nobody has, and waits for it.
func (w *Workspace) WaitCode(ctx context.Context) error {
	w.scanCode()
	select {
	case <-w.codeDone:
		return w.codeErr
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

func (w *Workspace) setCode(code *codebase.RepoMap) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.view.Store(w.view.Load().withCode(code))
}

// refreshCode reads the changed code files again; no paths means all. Before the
// first read there is nothing to refresh.
func (w *Workspace) refreshCode(paths []string) bool {
	select {
	case <-w.codeDone:
	default:
		return false
	}
	var code []string
	for _, p := range paths {
		if !isTreePath(p) {
			code = append(code, p)
		}
	}
	old := w.View().code
	if (paths != nil && code == nil) || w.codeErr != nil {
		return false
	}
	next, err := old.Update(w.ctx, code)
	if err != nil {
		if w.ctx.Err() == nil {
			w.opts.Log.Warn("code", "err", err)
		}
		return false
	}
	if next == old {
		return false
	}
	w.setCode(next)
	return true
}
