// Package panics catches the panics of functions, also of those in other goroutines, so that none ends the
// program: only its own goroutine can recover a panic. The program reads texts from strangers, and a text
// that triggers a bug of ours should cost an answer, not the session.
package panics

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Try runs f; a panic becomes an error with its stack.
func Try(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return f()
}

// Group is a [sync.WaitGroup] for parts of one answer: Wait raises the first panic of a part again, in the
// goroutine that can recover it. The zero value is ready; after Wait it may be used again.
type Group struct {
	wait  sync.WaitGroup
	first atomic.Pointer[error]
}

// Go runs f beside the caller.
func (g *Group) Go(f func()) {
	g.wait.Go(func() {
		if err := Try(func() error { f(); return nil }); err != nil {
			g.first.CompareAndSwap(nil, &err)
		}
	})
}

// Wait waits for all functions, and panics if one of them did.
func (g *Group) Wait() {
	g.wait.Wait()
	if err := g.first.Swap(nil); err != nil {
		panic(*err)
	}
}
