package remote

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// The project's limits: a server that failed so often in a row is left alone for so long.
const (
	maxFailures = 5
	rest        = time.Minute
)

// breaker spares users the wait for a server that is out of order. It is closed while
// questions go through. After maxFailures questions in a row that failed by the server's
// fault it is open: each question fails at once. When rest is over one question goes through
// as a probe, and decides. Each model has a breaker of its own, hence one for each origin and
// model. A question that the server refuses for what it is (key, model, length) shows
// that the server works; one that its asker gave up says nothing.
type breaker struct {
	mu     sync.Mutex // guards what follows
	failed int        // questions in a row
	until  time.Time  // when the next probe may go; zero: closed
	probe  bool       // is under way
	last   string     // how the last one failed
}

// enter says whether a question may go: nil, or why not.
func (b *breaker) enter(now time.Time) *Error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.IsZero() {
		return nil
	}
	if left := b.until.Sub(now); left > 0 {
		return &Error{Kind: KindResting, what: fmt.Sprintf("failed %d times in a row and is asked again in %d s; the last time: %s", b.failed, (left+time.Second-1)/time.Second, b.last)}
	}
	if b.probe {
		return &Error{Kind: KindResting, what: fmt.Sprintf("failed %d times in a row and is being tried again; the last time: %s", b.failed, b.last)}
	}
	b.probe = true
	return nil
}

// leave takes down how a question that went ended.
func (b *breaker) leave(now time.Time, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var fault *Error
	switch {
	case err != nil && !errors.As(err, &fault): // the context's
		b.probe = false
	case err == nil || !fault.Kind.ofTheServer():
		b.failed, b.until, b.probe, b.last = 0, time.Time{}, false, ""
	default:
		b.failed++
		b.last = fault.summary()
		if b.failed >= maxFailures {
			b.until, b.probe = now.Add(rest), false
		}
	}
}

// ofTheServer reports whether a kind of failure is the server's, not the question's.
func (k Kind) ofTheServer() bool {
	switch k {
	case KindUnreachable, KindTLS, KindLimited, KindServer, KindAnswer, KindTooLarge, KindSilent:
		return true
	}
	return false
}
