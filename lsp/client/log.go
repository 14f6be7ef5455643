package client

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
)

// Limits of warnings that are sent to the client unasked (window/logMessage).
const (
	maxLogged = 2 << 10 // bytes of one log message
	logBurst  = 30      // log messages in one logWindow; more are of no use
	logWindow = time.Minute
)

// clientLog is a log that also sends warnings to the client.
type clientLog struct {
	slog.Handler // the program's own log
	sink         *logSink
	attrs        []slog.Attr
}

// Enabled reports whether either reader wants the level.
func (l *clientLog) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn || l.Handler.Enabled(ctx, level)
}

// Handle writes one record.
func (l *clientLog) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn {
		l.sink.send(l.attrs, r)
	}
	if !l.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return l.Handler.Handle(ctx, r)
}

// WithAttrs returns a log whose records have further attributes.
func (l *clientLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &clientLog{Handler: l.Handler.WithAttrs(attrs), sink: l.sink, attrs: append(l.attrs[:len(l.attrs):len(l.attrs)], attrs...)}
}

// WithGroup returns a log whose further attributes stand in a group; the client sees
// their bare names.
func (l *clientLog) WithGroup(name string) slog.Handler {
	return &clientLog{Handler: l.Handler.WithGroup(name), sink: l.sink, attrs: l.attrs}
}

// logSink sends log messages to the client, at most [logBurst] in a [logWindow].
type logSink struct {
	conn protocol.Client
	now  func() time.Time

	mu    sync.Mutex // guards the fields below
	since time.Time  // when the window began
	sent  int        // in the window
}

func (k *logSink) admit() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if now := k.now(); now.Sub(k.since) >= logWindow || now.Before(k.since) {
		k.since, k.sent = now, 0
	}
	k.sent++
	return k.sent <= logBurst
}

func (k *logSink) send(attrs []slog.Attr, r slog.Record) {
	if !k.admit() {
		return
	}
	var text strings.Builder
	text.WriteString(r.Message)
	write := func(a slog.Attr) bool {
		fmt.Fprintf(&text, " %s=%s", a.Key, sanitize.OneLine(a.Value.String()))
		return true
	}
	for _, a := range attrs {
		write(a)
	}
	r.Attrs(write)
	kind := protocol.MessageTypeWarning
	if r.Level >= slog.LevelError {
		kind = protocol.MessageTypeError
	}
	message := &protocol.LogMessageParams{Type: kind, Message: strings.ToValidUTF8(sanitize.Cut(text.String(), maxLogged), "?")}
	_ = k.conn.LogMessage(context.Background(), message) // fails only if the connection is closed
}
