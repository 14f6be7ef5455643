package llm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// The project's limits: a model that failed so often in a row is left alone for so long.
const (
	maxFailures = 5
	rest        = time.Minute
)

// Breaker spares users the wait for a model that is out of order: package remote's, and the
// editor's or client's own. It is closed while questions go through. After maxFailures questions
// in a row that failed by the model's fault it is open: each question fails at once. When rest is
// over one question goes through as a probe, and decides. Each model has a breaker of its own. The
// zero value is closed; a Breaker is safe for concurrent use.
type Breaker struct {
	mu     sync.Mutex // guards what follows
	failed int        // questions in a row
	until  time.Time  // when the next probe may go; zero: closed
	probe  bool       // is under way
	last   string     // how the last one failed
}

// Verdict is the outcome of a question for the state of the model.
type Verdict int

// The verdicts.
const (
	Works   Verdict = iota // it answered, or refused the question for what it is
	Failed                 // by the model's fault
	GivenUp                // by whoever asked: that says nothing
)

// Enter says whether a question may go: nil, or why not. Each that goes is followed by one Leave.
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

// Leave takes down how a question that went ended; how says what failed.
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

// WithBreaker is a model behind a breaker, for those that an editor or client has. Only silence is
// the model's fault there ([ErrSilent]), since only that costs the next question time: what comes
// at once, an error too, shows that somebody is there, and may be gone with the next question
// once its user has allowed it. Such a model does not say its context: it has as many tokens as its user says, 0 for what is usual.
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
	verdict := GivenUp // of a caller who panics in Stream
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
