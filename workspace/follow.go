package workspace

import (
	"context"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
)

// followAge is how old what is known of the code may be in an answer, with
// [Options.FollowCode]: others' changes are to be seen within a second, of which
// looking for them takes a part.
const followAge = 500 * time.Millisecond

// Limits of what [Workspace.FollowSoon] costs: an editor asks several times a second, and
// a walk over 5,000 files takes some 50 ms.
const (
	followRest  = 2 * time.Second
	followShare = 20 // a walk takes at most this part of the time
)

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

// Follow brings the map up to date with what others changed, if that was not done
// within followAge. Where ctx ends first the walk goes on for the next answer. Until
// the code was read for the first time there is nothing to follow.
func (w *Workspace) Follow(ctx context.Context) error {
	if !w.opts.FollowCode || !Over(w.code.done) || w.code.err != nil {
		return nil
	}
	for since := w.opts.Now().Add(-followAge); ; {
		end, fresh := w.code.walk(since)
		select {
		case <-end:
		case <-ctx.Done():
			return ctx.Err()
		}
		if fresh {
			return nil
		}
	}
}

// FollowSoon begins to look for what others changed, if that was not done lately, and
// returns at once: for the questions of an editor that tells of no changes. The answer
// under way does without; of what is found [Options.Changed] tells. While nothing is
// asked nothing is looked at.
func (w *Workspace) FollowSoon() {
	if !w.opts.FollowCode || !Over(w.code.done) || w.code.err != nil {
		return
	}
	w.code.walks.mu.Lock()
	rest := max(followRest, followShare*w.code.walks.took)
	w.code.walks.mu.Unlock()
	w.code.walk(w.opts.Now().Add(-rest))
}

// walk returns the end of the last walk, and whether that began after since. If it did
// not and is over, it is a new one that began now.
func (c *codeState) walk(since time.Time) (end <-chan struct{}, fresh bool) {
	w := c.w
	k := &w.code.walks
	k.mu.Lock()
	defer k.mu.Unlock()
	if fresh = k.last.After(since); fresh {
		return k.done, true
	}
	if k.done != nil && !Over(k.done) {
		return k.done, false
	}
	next := make(chan struct{})
	started := w.Go(func() {
		defer close(next)
		defer k.ended(time.Now())
		if w.root.Renew() {
			w.DiskChanged(nil)
		}
		if c.update([]string{"."}, sameCode) {
			c.tell()
		}
	})
	if !started {
		return ended, true
	}
	k.last, k.done = w.opts.Now(), next
	return next, true
}

// sameCode reports whether two maps say the same: the links and the memory that hang
// on the first one stay.
func sameCode(before, next *codebase.RepoMap) bool {
	return before.Pending() == next.Pending() && before.Fingerprint() == next.Fingerprint()
}
