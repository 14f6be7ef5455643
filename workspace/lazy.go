package workspace

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/panics"
)

// Patience is how long an answer waits for data that is not ready. Then it continues without, reports that,
// and the program is notified when the data is ready (see [Options.Changed]). Work that must be complete has
// no patience and waits until its request ends.
type Patience time.Duration

const (
	// Glance is the patience for additions to an answer: shorter than a noticeable delay behind the pause of
	// a typist.
	Glance = Patience(100 * time.Millisecond)
	// Look is the patience for the main data of an answer that an editor shows in passing. 10,000 entries
	// take 0.14 s from the cache and 0.53 s without, so that all sessions but a first one see the whole tree.
	Look = Patience(250 * time.Millisecond)
	// Answer is the patience for a person's request: a folder of 1,000 files is read within it, and a process
	// that is started for one question has no second try.
	Answer = Patience(2 * time.Second)
)

// Within limits how long an answer waits for data that only improves it.
func (c *core) Within(ctx context.Context, p Patience) (context.Context, context.CancelFunc) {
	if c.opts.Unhurried {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(p))
}

// Stage is a state that is reached once, or fails: the code is read, an index is made.
type Stage struct {
	over   chan struct{} // closed when it is reached, or failed
	err    error         // the reason of a failure; valid once over is closed
	missed atomic.Bool   // a caller went on without it
}

// NewStage is a stage that is not reached yet.
func NewStage() *Stage { return &Stage{over: make(chan struct{})} }

// End marks the stage as reached, or as failed with an error. It reports whether a caller that went on
// without it is to be notified.
func (s *Stage) End(err error) (missed bool) {
	s.err = err
	close(s.over)
	return err == nil && s.missed.Load()
}

// Wait waits for the stage. If ctx ends first, the caller goes on without it.
func (s *Stage) Wait(ctx context.Context) error {
	select {
	case <-s.over:
		return s.err
	default: // first, since ctx may have ended too
	}
	select {
	case <-s.over:
	case <-ctx.Done():
		s.missed.Store(true)
		if !s.Over() { // else End may have been too early to see it
			return ctx.Err()
		}
	}
	return s.err
}

// Over reports whether the stage is reached or has failed.
func (s *Stage) Over() bool {
	select {
	case <-s.over:
		return true
	default:
		return false
	}
}

// Reached reports whether the stage is reached.
func (s *Stage) Reached() bool { return s.Over() && s.err == nil }

// Failed reports whether the stage has failed.
func (s *Stage) Failed() bool { return s.Over() && s.err != nil }

// lazy is a value that is made once, for the first caller, and awaited by all. A failed try is repeated. The
// zero value is ready.
type lazy[T any] struct {
	news Change     // sent when the value is ready, if callers went on without it
	mu   sync.Mutex // guards last
	last *try[T]
}

// try is one making of a lazy value.
type try[T any] struct {
	*Stage
	value T // valid once it is reached
}

// get returns the value. ctx bounds the wait, not the making: if it is not ready for this request, the next
// one can use it.
func (l *lazy[T]) get(ctx context.Context, c *core, produce func() (T, error)) (T, error) {
	return l.begin(c, produce).get(ctx)
}

func (t *try[T]) get(ctx context.Context) (value T, err error) {
	if err = t.Wait(ctx); err == nil {
		value = t.value
	}
	return value, err
}

// begin returns the try under way, the one that succeeded, or a new one.
func (l *lazy[T]) begin(c *core, produce func() (T, error)) *try[T] {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last != nil && !l.last.Failed() {
		return l.last
	}
	t := &try[T]{Stage: NewStage()}
	l.last = t
	started := c.Go(func() {
		missed := t.End(panics.Try(func() (err error) {
			t.value, err = produce()
			return err
		}))
		if missed && l.news != (Change{}) {
			c.Tell(l.news)
		}
	})
	if !started {
		t.End(ErrClosed)
	}
	return t
}

// ready reports whether the value is made.
func (l *lazy[T]) ready() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last != nil && l.last.Reached()
}
