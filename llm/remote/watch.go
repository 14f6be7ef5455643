package remote

import (
	"context"
	"errors"
	"time"

	"github.com/brv-lsp/brv-lsp/llm"
)

// watcher ends a context after silence for as long as the patience.
type watcher struct {
	ctx      context.Context
	cancel   context.CancelCauseFunc
	timer    *time.Timer
	end      time.Time // when the timer fires, by the machine's clock
	paused   time.Time
	hearing  llm.Hearing
	patience time.Duration
	now      func() time.Time
	until    time.Time // the deadline before the first piece
}

// errSilent is the cause with which a watcher ends its context.
var errSilent = errors.New("no data came")

func watch(ctx context.Context, patience time.Duration, now func() time.Time) *watcher {
	w := &watcher{patience: patience, now: now, until: now().Add(patience), end: time.Now().Add(patience)}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.timer = time.AfterFunc(patience, func() { w.cancel(errSilent) })
	return w
}

// received records a number of received bytes, which may restart the time.
func (w *watcher) received(bytes int) {
	if w.hearing.Received(bytes) {
		w.end = time.Now().Add(w.patience)
		w.timer.Reset(w.patience)
	}
}

// pause stops the clock until resume.
func (w *watcher) pause() {
	w.timer.Stop()
	w.paused = time.Now()
}

// resume restarts the clock.
func (w *watcher) resume() {
	w.end = w.end.Add(time.Since(w.paused))
	w.timer.Reset(time.Until(w.end))
}

// left returns the rest of the patience before the first piece.
func (w *watcher) left() time.Duration { return w.until.Sub(w.now()) }

// silent reports whether the server was silent for too long.
func (w *watcher) silent() bool { return context.Cause(w.ctx) == errSilent }

func (w *watcher) stop() {
	w.timer.Stop()
	w.cancel(nil)
}
