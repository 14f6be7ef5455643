package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/workspace"
)

// barPause is the time before progress is first shown, and between two updates.
const barPause = 500 * time.Millisecond

// bar shows the progress of long work at a terminal, in one line that is overwritten and removed at the end.
type bar struct {
	out io.Writer
	now func() time.Time

	mu    sync.Mutex // guards the fields below
	last  time.Time  // time of the last update, or of the bar's creation
	width int        // of the shown line
}

func newBar(out io.Writer, now func() time.Time) *bar { return &bar{out: out, now: now, last: now()} }

// tell shows the progress. The cursor stays at the start of the line, so that a message overwrites it.
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
