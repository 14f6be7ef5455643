package llm

// audible is how much must be said within the time that a model may be silent, in bytes. It lies
// between the two cases that it has to tell apart: a model on one's own machine that says a token
// of four bytes (English prose) each second says 20 bytes in the 5 s of the default patience, and
// slow ones say two or three; a server that only keeps the connection open drips single bytes, 5
// in that time (reliability, promise L1).
const audible = 16

// Hearing is the rule by which a model counts as silent, for all that listen to one: its time
// begins anew with each [audible] bytes that it said, of text, thoughts or arguments, and with
// nothing else. So a model that drips is left when its time is over, counted from the question,
// and one that stops, when its time is over behind what it said last. The zero value has heard
// nothing.
type Hearing struct{ bytes int }

// Heard takes up that so many bytes were said, and reports whether the model's time begins anew.
func (h *Hearing) Heard(bytes int) bool {
	if h.bytes += bytes; h.bytes < audible {
		return false
	}
	h.bytes = 0
	return true
}
