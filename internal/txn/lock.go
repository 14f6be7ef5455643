package txn

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// Pauses between two tries for the lock. A change takes some milliseconds. A process that has waited longer tries
// more often, so that it is likely to be next. The pause is random in its upper half, so that waiting processes do
// not act at the same time.
const (
	maxPause = 4 * time.Millisecond
	minPause = maxPause / 16
	ageing   = 10 * time.Millisecond // the pause is halved after this time
	watching = 5 * time.Millisecond  // how often the holder is checked
)

// The queue is ignored if one holder of the lock was seen for courtesy, and in any case after patience, since the
// first process in the queue may have been stopped.
const (
	courtesy = 100 * time.Millisecond
	patience = time.Second
)

// maxHolder bounds how much of a lock file is read.
const maxHolder = 4096

// acquire takes a lock, and makes the folder that contains it. It gives up when one holder has had the lock for
// Options.Wait. It does not give up, however long it waits, while the holders change: each writes another token
// into the file. The time comes from the monotonic clock.
//
// If next is not "", a waiting process holds that lock meanwhile. So a process that has just released the lock
// cannot take it again first. Without this, eight processes that commit all the time made each other wait for a
// second.
func (j *Journal) acquire(ctx context.Context, lock, next string) (unlock func(), err error) {
	if j.allowed != nil {
		if err := j.allowed(); err != nil {
			return nil, err
		}
	}
	now := time.Now()
	w := waiting{j: j, lock: lock, begun: now, since: now}
	leave := func() {}
	defer func() { leave() }()
	for inQueue := next == ""; ; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !inQueue {
			turn, err := w.try(next)
			switch {
			case err == nil:
				leave, inQueue = turn, true
			case errors.Is(err, jail.ErrLocked):
				inQueue = time.Since(w.since) > courtesy || time.Since(w.begun) > patience
			default:
				return nil, err
			}
		}
		if inQueue {
			unlock, err := w.try(lock)
			if !errors.Is(err, jail.ErrLocked) {
				return unlock, err
			}
		}
		if err := w.watch(); err != nil {
			return nil, err
		}
		w.sleep(ctx)
	}
}

// waiting is the state of one wait for a lock.
type waiting struct {
	j      *Journal
	lock   string
	begun  time.Time
	holder string
	since  time.Time // when the present holder was first seen
	seen   time.Time // when the holder was last checked
}

// try tries to take a lock. It makes the lock's folder if necessary.
func (w *waiting) try(lock string) (func(), error) {
	unlock, err := w.j.fsys.Lock(lock)
	if !missing(err) {
		return unlock, err
	}
	if _, err := w.j.makeAll(w.j.dir); err != nil {
		return nil, err
	}
	return w.j.fsys.Lock(lock)
}

// watch returns an error if one holder has had the lock for too long.
func (w *waiting) watch() error {
	if time.Since(w.seen) < watching {
		return nil
	}
	w.seen = time.Now()
	content, _ := w.j.fsys.ReadFile(w.lock, maxHolder) // if it is unreadable, it counts as the same unknown holder
	if now := string(content); now != w.holder {
		w.holder, w.since = now, time.Now()
	} else if time.Since(w.since) >= w.j.wait {
		return busy(w.lock, content)
	}
	return nil
}

func (w *waiting) sleep(ctx context.Context) {
	pause := max(maxPause/(1+time.Since(w.begun)/ageing), minPause)
	select {
	case <-ctx.Done():
	case <-time.After(pause/2 + rand.N(pause/2)):
	}
}

func busy(lock string, content []byte) error {
	pid, host, _, ok := jail.Holder(content)
	if !ok {
		return fmt.Errorf("%s: %w", lock, ErrBusy)
	}
	return fmt.Errorf("%s: %w: held by process %s on %s", lock, ErrBusy, pid, host)
}
