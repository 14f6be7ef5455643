package dispatch

import (
	"slices"
	"sync"
	"time"
)

// A call that panics so often in so short a time is refused until its panics are older:
// each one costs a stack in the log, and what it would answer is not to be had.
const (
	maxPanics   = 3
	panicWindow = 60 * time.Second
)

// breaker remembers which calls panicked lately.
type breaker struct {
	now func() time.Time

	mu     sync.Mutex // guards panics
	panics map[string][]time.Time
}

// panicked notes a panic of a call.
func (b *breaker) panicked(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.panics == nil {
		b.panics = map[string][]time.Time{}
	}
	b.panics[name] = append(b.recentLocked(name), b.now())
}

// open reports whether a call is refused.
func (b *breaker) open(name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.recentLocked(name)) >= maxPanics
}

func (b *breaker) recentLocked(name string) []time.Time {
	if len(b.panics[name]) == 0 {
		return nil
	}
	since := b.now().Add(-panicWindow)
	b.panics[name] = slices.DeleteFunc(b.panics[name], func(at time.Time) bool { return !at.After(since) })
	return b.panics[name]
}
