// Package work runs functions in other goroutines so that a panic in one does not end the
// program: nobody can recover it but its own goroutine. The texts that are read come from
// whoever was cloned, and one that meets a mistake of ours costs an answer, not the session.
package work

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Safely runs f; a panic becomes an error with its stack.
func Safely(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return f()
}

// Group is a [sync.WaitGroup] for parts of one answer: the first panic of a part is
// raised again by Wait, where whoever asked can recover it. The zero value is ready; after
// Wait it may be used again.
type Group struct {
	wait  sync.WaitGroup
	first atomic.Pointer[error]
}

// Go runs f beside the caller.
func (g *Group) Go(f func()) {
	g.wait.Go(func() {
		if err := Safely(func() error { f(); return nil }); err != nil {
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
