package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/workspace"
)

// barPause is how long work takes before it is shown, and from one showing to the next.
const barPause = 500 * time.Millisecond

// bar shows at a terminal how far long work is, in one line that is written over and gone at the end.
type bar struct {
	out io.Writer
	now func() time.Time

	mu    sync.Mutex // guards the fields below
	last  time.Time  // when it was shown, or made
	width int        // of what is shown
}

func newBar(out io.Writer, now func() time.Time) *bar { return &bar{out: out, now: now, last: now()} }

// tell shows how far something is. The cursor stays in front of the line, so that a message writes over it.
func (b *bar) tell(p workspace.Progress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	text := ""
	if !p.End {
		if b.now().Sub(b.last) < barPause {
			return
		}
		text = textf("brv-lsp: %s: %s of %s", p.Title, grouped(p.Done), grouped(p.Total))
	}
	if b.width == 0 && text == "" {
		return
	}
	fmt.Fprintf(b.out, "%-*s\r", b.width, text)
	b.last, b.width = b.now(), len(text)
}
