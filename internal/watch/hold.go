package watch

import (
	"context"
	"time"
)

// defaultHold is the longest that a batch waits for a program to end its work. A
// checkout of 100,000 files takes some seconds; a rebase, which may take minutes,
// is seen in steps.
const defaultHold = 10 * time.Second

// hold decides whether what waits goes on waiting. A lock that outlives
// defaultHold was left behind, as by a crash: it no longer counts until it was
// seen gone once, so that it delays one batch and not each.
type hold struct {
	busy   func() bool
	delay  time.Duration // between two questions
	waited time.Duration
	stale  bool
	after  bool // busy when asked before
}

// wanted reports whether a program is at work whose end is worth waiting for.
func (h *hold) wanted() bool {
	if h.busy == nil || !h.busy() {
		h.stale = false
		return false
	}
	h.after = h.after || !h.stale
	return !h.stale
}

// more is asked each time a delay is over and reports whether to wait for one
// more; moved says that something to wait for happened within the delay. After a
// program was seen at work one more delay passes, for what it does behind its
// lock: git moves HEAD after it gave the index free.
func (h *hold) more(moved bool) bool {
	after := h.after
	wanted := h.wanted()
	wait := wanted || moved || after
	h.after = wanted
	if wait && h.waited+h.delay <= defaultHold {
		h.waited += h.delay
		return true
	}
	h.stale = h.stale || wanted
	h.after, h.waited = false, 0
	return false
}

// Settle waits while busy reports that a program is at work, as [Options.Busy]
// does, for who learns of changes from elsewhere than a [Watcher]. It asks at
// once and then after each delay (defaultDelay if not positive), at most for
// defaultHold, and returns early with an error when ctx ends. after is
// [time.After] if nil.
func Settle(ctx context.Context, busy func() bool, delay time.Duration, after func(time.Duration) <-chan time.Time) error {
	if delay <= 0 {
		delay = defaultDelay
	}
	if after == nil {
		after = time.After
	}
	h := hold{busy: busy, delay: delay}
	for h.more(false) {
		select {
		case <-after(delay):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ctx.Err()
}
