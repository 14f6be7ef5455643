package watch

import (
	"context"
	"time"
)

// defaultHold is the longest time that a batch waits for a program to finish. A checkout of 100,000 files
// takes some seconds; a rebase, which may take minutes, is reported in steps.
const defaultHold = 10 * time.Second

// hold decides whether a batch keeps waiting. A lock that is older than defaultHold was probably left behind
// by a crash: it is ignored until it has been gone once, so that it delays one batch and not each.
type hold struct {
	busy   func() bool
	delay  time.Duration // between two questions
	waited time.Duration
	stale  bool
	after  bool // busy at the last check
}

// wanted reports whether a program is running whose end is worth waiting for.
func (h *hold) wanted() bool {
	if h.busy == nil || !h.busy() {
		h.stale = false
		return false
	}
	h.after = h.after || !h.stale
	return !h.stale
}

// more is called each time a delay is over and reports whether to wait for another; moved means that a file
// to wait for changed within the delay. After a program was busy, one more delay passes for its last steps:
// git moves HEAD after it released the index.
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

// Settle waits while busy reports a running program, as [Options.Busy] does; it is for callers that learn of
// changes from elsewhere than a [Watcher]. It checks at once and then after each delay (defaultDelay if not
// positive), at most for defaultHold, and returns early with an error when ctx ends. after is [time.After] if
// nil.
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
