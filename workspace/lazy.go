package workspace

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/internal/panics"
)

// lazy is a value that is made once, by whoever asks first, and waited for by all. A
// failed try is repeated. The zero value is ready.
type lazy[T any] struct {
	mu   sync.Mutex // guards last
	last *try[T]

	skipped atomic.Bool // somebody went on without the value, and is told when it is there
}

// try is one making of a lazy value.
type try[T any] struct {
	done  chan struct{}
	value T // valid once done is closed
	err   error
}

// get returns the value. ctx bounds the wait, not the making: what is not ready for
// this request is for the next.
func (l *lazy[T]) get(ctx context.Context, c *core, produce func() (T, error)) (T, error) {
	t := l.begin(c, produce)
	if err := wait(ctx, t.done); err != nil {
		var none T
		return none, err
	}
	return t.value, t.err
}

// begin returns the try under way, the one that succeeded, or a new one.
func (l *lazy[T]) begin(c *core, produce func() (T, error)) *try[T] {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last != nil && !l.last.failed() {
		return l.last
	}
	t := &try[T]{done: make(chan struct{})}
	l.last = t
	started := c.Go(func() {
		defer close(t.done)
		t.err = panics.Try(func() (err error) {
			t.value, err = produce()
			return err
		})
	})
	if !started {
		t.err = ErrClosed
		close(t.done)
	}
	return t
}

// ready reports whether the value is made.
func (l *lazy[T]) ready() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last != nil && Over(l.last.done) && l.last.err == nil
}

// failed reports whether a try is over and gave nothing.
func (t *try[T]) failed() bool { return Over(t.done) && t.err != nil }

// Over reports whether a channel is closed.
func Over(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// wait waits until a channel is closed, or ctx ends first.
func wait(ctx context.Context, done <-chan struct{}) error {
	if Over(done) { // even after the end of ctx
		return nil
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
