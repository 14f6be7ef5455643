package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// Limits of the messages that wait for a client that does not read.
const (
	maxQueued = 64 << 20 // bytes

	// stallAfter is how long one write may take before the session ends.
	stallAfter = 60 * time.Second
)

var errStream = errors.New("stream is closed")

// outbox is the writing half of a [Stream]: the queue of messages to write.
type outbox struct {
	mu      sync.Mutex // guards the fields below
	wake    sync.Cond  // signals a change of queue or closed
	queue   [][]byte
	queued  int           // bytes in queue
	closed  bool          // no further writes are accepted
	failed  error         // why writing failed
	drained chan struct{} // closed when the write loop has ended
	stall   time.Duration // how long one write may take
}

// Write queues one message. If more than [maxQueued] bytes wait for the client, it fails and ends the session.
func (s *Stream) Write(_ context.Context, msg jsonrpc2.Message) (int64, error) {
	body, err := jsonrpc2.EncodeMessage(msg)
	if err != nil {
		return 0, err
	}
	frame := fmt.Appendf(make([]byte, 0, len(body)+32), "Content-Length: %d\r\n\r\n", len(body))
	frame = append(frame, body...)

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return 0, s.failed
	}
	if s.closed {
		return 0, errStream
	}
	if s.queued+len(frame) > maxQueued {
		s.failLocked(fmt.Errorf("the client does not read: %d bytes are waiting", s.queued))
		return 0, s.failed
	}
	s.queue = append(s.queue, frame)
	s.queued += len(frame)
	s.wake.Signal()
	return int64(len(frame)), nil
}

// writeLoop writes queued messages in order, until the stream is closed and the queue is empty, or until a write
// fails.
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
	for len(s.queue) == 0 && !s.closed && s.failed == nil {
		s.wake.Wait()
	}
	if s.failed != nil || len(s.queue) == 0 {
		return nil, false
	}
	frame := s.queue[0]
	s.queue[0] = nil
	s.queue = s.queue[1:]
	s.queued -= len(frame)
	return frame, true
}

// fail ends the session because writing has failed.
func (s *Stream) fail(err error) {
	s.mu.Lock()
	s.failLocked(err)
	s.mu.Unlock()
}

func (s *Stream) failLocked(err error) {
	if s.failed == nil {
		s.failed = err
		s.log.Error("cannot write to the client", "err", err)
	}
	s.queue, s.queued = nil, 0
	s.wake.Signal()
	s.End()
}

// Close accepts no further writes; queued messages are still written. It never blocks, because [jsonrpc2.Conn]
// calls it under its own lock.
func (s *Stream) Close() error {
	s.mu.Lock()
	s.closed = true
	s.wake.Signal()
	s.mu.Unlock()
	s.End()
	return nil
}

// Shut writes queued messages until ctx ends, and closes both ends. An end that cannot be closed may block a
// goroutine in its Read or Write until the process ends, but nothing waits for it.
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
