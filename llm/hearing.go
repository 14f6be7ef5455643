package llm

import (
	"fmt"
	"time"
)

// audible is how much must be said within the time that a model may be silent, in bytes. It lies
// between the two cases that it has to tell apart: a model on one's own machine that says a token
// of four bytes (English prose) each second says 20 bytes in the 5 s of the default patience, and
// slow ones say two or three; a server that only keeps the connection open drips single bytes, 5
// in that time (reliability, promise L1).
const audible = 16

// Hearing decides when a model counts as silent, for all code that listens to one. The time starts anew after
// every [audible] bytes of text, thoughts or arguments, and at nothing else. A model that sends less than
// that is given up after one period, counted from the question. A model that stops is given up one period
// after its last output. The zero value has heard nothing.
type Hearing struct {
	bytes    int // since the time began anew
	received int // before that
}

// Received takes up that so many bytes were said, and reports whether the model's time begins anew.
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
