package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// Limits of what waits for a client that does not read.
const (
	maxQueued = 64 << 20 // bytes

	// stallAfter ends a session whose client has not taken one message for so long.
	stallAfter = 60 * time.Second
)

var errStream = errors.New("stream is closed")

// outbox is the writing half of a [Stream]: what waits to be written, in order. Of
// what a newer message makes worthless while it waits (see [supersedes]) only the
// newest is kept.
type outbox struct {
	mu      sync.Mutex // guards the fields below
	wake    sync.Cond  // signals a change of queue or closed
	queue   []*frame
	latest  map[string]*frame // in queue, by what it supersedes
	queued  int               // bytes in queue
	closed  bool              // no further writes are accepted
	failed  error             // why writing failed
	drained chan struct{}     // closed when the write loop has ended
	stall   time.Duration     // how long one write may take
}

// frame is one message that waits; without bytes it was superseded.
type frame struct {
	bytes []byte
	key   string
}

// supersedes names what a message is the newest state of, "" for nothing: the problems of
// a document, and how far some work is. A partial result is progress as well, but
// each one counts.
func supersedes(msg jsonrpc2.Message) string {
	n, ok := msg.(*jsonrpc2.Notification)
	if !ok {
		return ""
	}
	var p struct {
		URI   string          `json:"uri"`
		Token json.RawMessage `json:"token"`
		Value json.RawMessage `json:"value"`
	}
	switch n.Method() {
	case protocol.MethodTextDocumentPublishDiagnostics:
		if json.Unmarshal(n.Params(), &p) == nil {
			return "problems " + p.URI
		}
	case protocol.MethodProgress:
		var value struct{ Kind string }
		if json.Unmarshal(n.Params(), &p) == nil && json.Unmarshal(p.Value, &value) == nil && value.Kind == "report" {
			return "progress " + string(p.Token)
		}
	}
	return ""
}

// Write queues one message. It fails, and with it the session, when the client
// has let [maxQueued] bytes pile up.
func (s *Stream) Write(_ context.Context, msg jsonrpc2.Message) (int64, error) {
	body, err := jsonrpc2.EncodeMessage(msg)
	if err != nil {
		return 0, err
	}
	f := &frame{key: supersedes(msg), bytes: make([]byte, 0, len(body)+32)}
	f.bytes = fmt.Appendf(f.bytes, "Content-Length: %d\r\n\r\n", len(body))
	f.bytes = append(f.bytes, body...)
	size := len(f.bytes)

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return 0, s.failed
	}
	if s.closed {
		return 0, errStream
	}
	if f.key != "" {
		if old := s.latest[f.key]; old != nil {
			s.queued -= len(old.bytes)
			old.bytes = nil
		}
		s.latest[f.key] = f
	}
	if s.queued+size > maxQueued {
		s.failLocked(fmt.Errorf("the client does not read: %d bytes are waiting", s.queued))
		return 0, s.failed
	}
	s.queue = append(s.queue, f)
	s.queued += size
	s.wake.Signal()
	return int64(size), nil
}

// writeLoop writes what is queued, in order, until the stream is closed and
// empty or writing fails.
func (s *Stream) writeLoop() {
	defer close(s.drained)
	stall := time.AfterFunc(s.stall, func() { s.fail(errors.New("the client does not read: writing took too long")) })
	stall.Stop()
	for {
		bytes, ok := s.take()
		if !ok {
			return
		}
		stall.Reset(s.stall)
		_, err := s.out.Write(bytes)
		stall.Stop()
		if err != nil {
			s.fail(err)
			return
		}
	}
}

// take waits for a message and removes it from the queue.
func (s *Stream) take() ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		for len(s.queue) == 0 && !s.closed && s.failed == nil {
			s.wake.Wait()
		}
		if s.failed != nil || len(s.queue) == 0 {
			return nil, false
		}
		f := s.queue[0]
		s.queue[0] = nil
		s.queue = s.queue[1:]
		if f.bytes == nil {
			continue // superseded
		}
		if s.latest[f.key] == f {
			delete(s.latest, f.key)
		}
		s.queued -= len(f.bytes)
		return f.bytes, true
	}
}

// fail ends the session because writing does not work any more.
func (s *Stream) fail(err error) {
	s.mu.Lock()
	s.failLocked(err)
	s.mu.Unlock()
}

func (s *Stream) failLocked(err error) {
	if s.failed == nil {
		s.failed = err
		s.log.Error("writing to the client", "err", err)
	}
	s.queue, s.queued = nil, 0
	clear(s.latest)
	s.wake.Signal()
	s.End()
}

// Close accepts no further writes; what is queued is still written. It never
// blocks, because [jsonrpc2.Conn] calls it under its own lock.
func (s *Stream) Close() error {
	s.mu.Lock()
	s.closed = true
	s.wake.Signal()
	s.mu.Unlock()
	s.End()
	return nil
}

// Shut flushes what is queued until ctx ends and releases both ends. An end that
// cannot be closed may keep a goroutine blocked in its Read or Write until the
// process ends; nothing else waits for it.
func (s *Stream) Shut(ctx context.Context) {
	_ = s.Close()
	select {
	case <-s.drained:
	case <-ctx.Done():
		s.log.Warn("the client did not read the last replies")
	}
	if c, ok := s.src.(io.Closer); ok {
		_ = c.Close()
	}
	if c, ok := s.out.(io.Closer); ok {
		_ = c.Close()
	}
}
