package workspace

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/panics"
)

// Patience is how long an answer waits for what is not ready. Then it goes on without, says so, and the program is told
// when it is ready (see [Options.Changed]). What must be complete waits without one, until its request ends.
type Patience time.Duration

const (
	// Glance is for what stands beside the answer: shorter than what reads as a delay behind the pause of a typist.
	Glance = Patience(100 * time.Millisecond)
	// Look is for what an answer that an editor shows in passing is about. 10,000 entries take 0.14 s from the cache
	// and 0.53 s without, so that all sessions but a first one see the whole tree.
	Look = Patience(250 * time.Millisecond)
	// Answer is for what somebody asked: a folder of 1,000 files is read within it, and a process that is started for one
	// question has no second try.
	Answer = Patience(2 * time.Second)
)

// Within limits how long an answer waits for what only makes it better.
func (c *core) Within(ctx context.Context, p Patience) (context.Context, context.CancelFunc) {
	if c.opts.Unhurried {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(p))
}

// Stage is a state that is reached once, or cannot be: the code is read, an index is made.
type Stage struct {
	over   chan struct{} // closed when it is reached, or cannot be
	err    error         // why it cannot; valid once over is closed
	missed atomic.Bool   // somebody went on without it
}

// NewStage is a stage that lies ahead.
func NewStage() *Stage { return &Stage{over: make(chan struct{})} }

// End says that the stage is reached, or why it cannot be. It reports whether somebody went on without it who is to be told
// that it is reached.
func (s *Stage) End(err error) (missed bool) {
	s.err = err
	close(s.over)
	return err == nil && s.missed.Load()
}

// Wait waits for the stage. If ctx ends first, whoever asked goes on without it.
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

// Over reports whether the stage is reached, or cannot be.
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

// Failed reports whether the stage cannot be reached.
func (s *Stage) Failed() bool { return s.Over() && s.err != nil }

// lazy is a value that is made once, by whoever asks first, and waited for by all. A
// failed try is repeated. The zero value is ready.
type lazy[T any] struct {
	news Change     // told when the value is there, to those who went on without it
	mu   sync.Mutex // guards last
	last *try[T]
}

// try is one making of a lazy value.
type try[T any] struct {
	*Stage
	value T // valid once it is reached
}

// get returns the value. ctx bounds the wait, not the making: what is not ready for
// this request is for the next.
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
