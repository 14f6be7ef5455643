package llm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// The project's limits: the number of failures in a row after which a model is not asked, and the length of
// that pause.
const (
	maxFailures = 5
	rest        = time.Minute
)

// Breaker spares users the wait for a model that does not work: package remote's, and the editor's or
// client's own. It is closed while questions succeed. After maxFailures questions in a row that failed by the
// model's fault it is open: each question fails at once. When rest is over one question is let through as a
// probe, and decides. Each model has a breaker of its own. The zero value is closed; a Breaker is safe for
// concurrent use.
type Breaker struct {
	mu     sync.Mutex // guards what follows
	failed int        // questions in a row
	until  time.Time  // when the next probe is allowed; zero: closed
	probe  bool       // is under way
	last   string     // how the last one failed
}

// Verdict is the result of a question with respect to the state of the model.
type Verdict int

// The verdicts.
const (
	Works   Verdict = iota // it answered, or refused this particular question
	Failed                 // by the model's fault
	GivenUp                // ended by the caller: no information
)

// Enter returns nil if a question may be asked, or else the reason. Each allowed question is followed by one
// Leave.
func (b *Breaker) Enter(now time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.IsZero() {
		return nil
	}
	if left := b.until.Sub(now); left > 0 {
		return fmt.Errorf("failed %d times in a row and is asked again in %d s; last error: %s", b.failed,
			(left+time.Second-1)/time.Second, b.last)
	}
	if b.probe {
		return fmt.Errorf("failed %d times in a row and is being tried again; last error: %s", b.failed, b.last)
	}
	b.probe = true
	return nil
}

// Leave records how an allowed question ended; how describes the failure.
func (b *Breaker) Leave(now time.Time, v Verdict, how string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch v {
	case GivenUp:
		b.probe = false
	case Works:
		b.failed, b.until, b.probe, b.last = 0, time.Time{}, false, ""
	case Failed:
		b.failed++
		b.last = how
		if b.failed >= maxFailures {
			b.until, b.probe = now.Add(rest), false
		}
	}
}

// TimedOut is the error of a model that did not answer within its patience, and an [ErrSilent].
func TimedOut(model string, patience time.Duration) error {
	return lateError{model, patience}
}

type lateError struct {
	model    string
	patience time.Duration
}

func (e lateError) Error() string {
	return fmt.Sprintf("%s did not answer within %v; try again, or raise brv.model.patienceSeconds above %d", e.model, e.patience,
		e.patience/time.Second)
}

func (lateError) Is(target error) bool { return target == ErrSilent }

// WithBreaker is a model behind a breaker, for the models of editors and clients. Only silence counts as the
// model's fault there ([ErrSilent]), since only that costs the next question time: a quick error shows that
// the other end works, and it may be gone with the next question once its user has allowed it. Such a model
// does not state its context: the user states the number of tokens, 0 for the usual one.
func WithBreaker(m Model, now func() time.Time, context int) Model {
	return &spared{Model: m, now: now, context: context}
}

type spared struct {
	Model
	now     func() time.Time
	context int
	breaker Breaker
}

// Unwrap is the model behind the breaker.
func (s *spared) Unwrap() Model { return s.Model }

// Context is the size of the model's context in tokens, 0 if unknown.
func (s *spared) Context() int { return s.context }

// Complete asks the model, where the breaker lets the question through.
func (s *spared) Complete(ctx context.Context, r Request) (said Response, err error) {
	if err := s.breaker.Enter(s.now()); err != nil {
		return said, fmt.Errorf("%s %w", s.Name(), err)
	}
	verdict := GivenUp // for a caller that panics in Stream
	defer func() { s.breaker.Leave(s.now(), verdict, "it did not answer in time") }()
	said, err = s.Model.Complete(ctx, r)
	switch {
	case err != nil && (errors.Is(err, ErrSilent) || errors.Is(context.Cause(ctx), ErrSilent)):
		verdict = Failed
	case err == nil || ctx.Err() == nil:
		verdict = Works
	}
	return said, err
}

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
