package workspace

import (
	"context"
	"slices"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
)

// followAge is the greatest age of the known code in an answer, with [Options.FollowCode]: others' changes
// should be seen within a second, which includes the time to look for them.
const followAge = 500 * time.Millisecond

// Limits of what [Workspace.FollowSoon] costs: an editor asks several times a second, and
// a walk over 5,000 files takes some 50 ms.
const (
	followRest  = 2 * time.Second
	followShare = 20 // a walk takes at most this part of the time
)

// Follow updates the map to changes by others, if that was not done within followAge. If ctx ends first the
// walk continues for the next answer. Before the first read of the code it does nothing.
func (w *Workspace) Follow(ctx context.Context) error { return w.follow(ctx, followAge) }

// FollowEdit is [Workspace.Follow] after a reported change: earlier walks do not count.
func (w *Workspace) FollowEdit(ctx context.Context) error { return w.follow(ctx, 1) }

func (w *Workspace) follow(ctx context.Context, age time.Duration) error {
	if !w.opts.FollowCode || !w.code.stages[codeRead].Reached() {
		return nil
	}
	for since := w.opts.Now().Add(-age); ; {
		end, fresh := w.code.walk(since)
		if err := end.Wait(ctx); err != nil || fresh {
			return err
		}
	}
}

// ReadNamed reads files that an editor names: entries, and code that the map does not have. The event that tells of
// them may be on its way. It reads no code before the first read of the code.
func (w *Workspace) ReadNamed(paths []string) {
	if len(paths) > 0 && w.home.refresh(paths) {
		w.DeriveStale()
		w.Tell(Change{Tree: true})
	}
	code := w.View().code
	missing := slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
		_, known := code.Chunk(p)
		return known || code.Walked(p) || IsTreePath(p)
	})
	if len(missing) > 0 && w.code.at(codeRead) && w.code.update(missing, nil) {
		w.code.tellCode()
	}
}

// FollowSoon begins to look for what others changed, if that was not done lately, and
// returns at once: for the questions of an editor that tells of no changes. The answer
// under way does without; of what is found [Options.Changed] tells. While nothing is
// asked nothing is looked at.
func (w *Workspace) FollowSoon() {
	if !w.opts.FollowCode || !w.code.stages[codeRead].Reached() {
		return
	}
	w.code.walks.mu.Lock()
	rest := max(followRest, followShare*w.code.walks.took)
	w.code.walks.mu.Unlock()
	w.code.walk(w.opts.Now().Add(-rest))
}

// walk returns the end of the last walk, and whether that began after since. If it did
// not and is over, it is a new one that began now.
func (c *codeState) walk(since time.Time) (end *Stage, fresh bool) {
	k := &c.walks
	k.mu.Lock()
	defer k.mu.Unlock()
	if fresh = k.last.After(since); fresh {
		return k.done, true
	}
	if k.done != nil && !k.done.Over() {
		return k.done, false
	}
	next := NewStage()
	started := c.Go(func() {
		defer next.End(nil)
		defer k.ended(time.Now())
		if c.root.Renew() {
			c.changes.add(nil)
		}
		if c.update([]string{"."}, sameCode) {
			c.tellCode()
		}
	})
	if !started {
		next.End(ErrClosed)
	}
	k.last, k.done = c.opts.Now(), next
	return next, true
}

// sameCode reports whether two maps have the same content: the links and caches of the first one stay valid.
func sameCode(before, next *codebase.RepoMap) bool {
	return before.Pending() == next.Pending() && before.Fingerprint() == next.Fingerprint()
}

// CodeRead reports whether the code was read: before that, and if the read failed, files that are missing in
// it may exist.
func (v *View) CodeRead() bool { return v.ws.code.stages[codeRead].Reached() }

// WaitCode starts the first read of the code if nobody has, and waits for it.
func (w *Workspace) WaitCode(ctx context.Context) error {
	w.code.scan()
	return w.code.stages[codeRead].Wait(ctx)
}

// BeginCode begins the first read of the code without waiting for it.
func (w *Workspace) BeginCode() { w.code.scan() }

// WaitWords waits as WaitCode does, but at most as long as for an [Answer] once the code can be searched by
// its words.
func (w *Workspace) WaitWords(ctx context.Context) error {
	short, cancel := w.Within(ctx, Answer)
	defer cancel()
	if err := w.WaitCode(short); w.code.at(codeRead) || ctx.Err() != nil {
		return err
	}
	return w.code.stages[codeWords].Wait(ctx)
}

// refresh reads the changed code files again; no paths means all. Changes during the first read of the code
// are handled after it.
func (c *codeState) refresh(paths []string) bool {
	var code []string
	for _, p := range paths {
		if !IsTreePath(p) {
			code = append(code, p)
		}
	}
	switch read := c.stages[codeRead]; {
	case paths != nil && code == nil, !c.at(codeBegun), read.Failed():
		return false
	case !read.Over(): // a file may have been read before it changed
		if paths == nil {
			code = nil
		}
		c.Go(func() {
			if read.Wait(c.ctx) == nil {
				c.changes.add(code)
			}
		})
		return false
	}
	if paths == nil || slices.ContainsFunc(code, MovesHead) {
		c.Go(func() {
			c.commits.read(c.ctx)
			c.tellCode()
		})
		code = []string{"."} // a switch of branches is one walk, not hundreds of single files
	}
	return c.update(code, nil)
}

// update reads changed code files again, and reports whether that gave another
// map. The refresh loop and codeState.walk call it, one at a time, so that neither
// undoes what the other saw.
func (c *codeState) update(paths []string, same func(before, next *codebase.RepoMap) bool) bool {
	c.updating.Lock()
	defer c.updating.Unlock()
	before := c.View().code
	next, err := before.Update(c.ctx, paths)
	if err != nil {
		if c.ctx.Err() == nil {
			c.opts.Log.Warn("code", "err", err)
		}
		return false
	}
	if next == before || same != nil && same(before, next) {
		return false
	}
	c.set(next)
	return true
}
