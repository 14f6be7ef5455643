package llm

import (
	"fmt"
	"time"
)

// audible is the number of bytes that must be received within the time that a model may be silent. It
// separates two cases: a local model with one token of four bytes (English prose) a second sends 20 bytes in
// the 5 s of the default patience, and slow ones send two or three tokens; a server that only keeps the
// connection open sends single bytes, 5 in that time (reliability, promise L1).
const audible = 16

// Hearing decides when a model counts as silent, for all code that listens to one. The time restarts after
// every [audible] bytes of text, thoughts or arguments, and only then. A model that sends less than that is
// given up after one period, counted from the question. A model that stops is given up one period after its
// last output. The zero value has received nothing.
type Hearing struct {
	bytes    int // since the time restarted
	received int // before that
}

// Received records that so many bytes came, and reports whether the model's time restarts.
func (h *Hearing) Received(bytes int) bool {
	if h.bytes += bytes; h.bytes < audible {
		return false
	}
	h.received, h.bytes = h.received+h.bytes, 0
	return true
}

// Silence returns the reason for a timeout: how much data came within the time, and how much was expected.
func (h Hearing) Silence(patience time.Duration) string {
	behind := ""
	if h.received > 0 {
		behind = fmt.Sprintf(" after the first %d bytes", h.received)
	}
	if h.bytes == 0 {
		return fmt.Sprintf("no data came for %v%s", patience, behind)
	}
	unit := "bytes"
	if h.bytes == 1 {
		unit = "byte"
	}
	return fmt.Sprintf("only %d %s came in %v%s (fewer than %d count as no answer)", h.bytes, unit, patience, behind, audible)
}
