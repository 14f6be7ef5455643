package lsp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// Limits of the wire. A message body is read in chunks that grow with the bytes
// that really arrive, so a header alone can never make the server allocate.
const (
	maxHeaderLine  = 4 << 10  // bytes of one header line; real ones are under 40
	maxHeaderLines = 16       // lines of one header block; real ones have one or two
	maxBody        = 64 << 20 // bytes of one message; editors refuse larger files before that
	bodyChunk      = 64 << 10 // first allocation for a body
	keepBody       = 1 << 20  // a larger read buffer is given back after its message
	maxQueued      = 64 << 20 // bytes waiting for a client that does not read

	// stallAfter ends a session whose client has not taken one message for so long.
	stallAfter = 60 * time.Second
	// flushWithin bounds the wait for the last replies when a session ends.
	flushWithin = 2 * time.Second
)

var (
	errHeader = errors.New("malformed message header")
	errStream = errors.New("stream is closed")
)

// stream is the server's end of the wire: LSP framing with limits below
// [jsonrpc2.Conn]. What the stock framer answers by closing the connection
// (JSON that does not parse, a request that is none, a body that is too large)
// is answered here with an error response, and the session lives on. Only a
// header block that hides where the next message begins ends it.
//
// Writes are queued and written by one goroutine, so the read loop never waits
// for a client that waits for the read loop.
type stream struct {
	in  *bufio.Reader
	src io.Reader // beneath in; closed with the stream when it can be
	out io.Writer
	log *slog.Logger

	body []byte // reused; a decoded request borrows it until the next Read

	ended   chan struct{} // closed when nothing more will be read
	endOnce sync.Once

	mu      sync.Mutex // guards the fields below
	wake    sync.Cond  // signals a change of queue or closed
	queue   [][]byte
	queued  int           // bytes in queue
	closed  bool          // no further writes are accepted
	failed  error         // why writing failed
	drained chan struct{} // closed when the write loop has ended
	stall   time.Duration // how long one write may take
}

func newStream(in io.Reader, out io.Writer, log *slog.Logger) *stream {
	s := &stream{
		in: bufio.NewReaderSize(in, maxHeaderLine), src: in, out: out, log: log,
		ended: make(chan struct{}), drained: make(chan struct{}), stall: stallAfter,
	}
	s.wake.L = &s.mu
	return s
}

// end makes the next Read report the end of the stream.
func (s *stream) end() { s.endOnce.Do(func() { close(s.ended) }) }

// Read returns the next well-formed message. Its request borrows the stream's
// buffer until the next call.
func (s *stream) Read(context.Context) (jsonrpc2.Message, int64, error) {
	for {
		select {
		case <-s.ended:
			return nil, 0, io.EOF
		default:
		}
		body, err := s.readFrame()
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
				s.log.Error("reading from the client", "err", err)
			}
			s.end()
			return nil, 0, io.EOF
		}
		if body == nil {
			s.refuse(jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "message is larger than %d bytes", maxBody))
			continue
		}
		msg, err := jsonrpc2.DecodeMessage(body)
		if err == nil {
			return msg, int64(len(body)), nil
		}
		s.refuseBody(body, err)
	}
}

// refuseBody answers a body that holds no message. A malformed response is only
// logged: replying to it would make the client answer an answer.
func (s *stream) refuseBody(body []byte, err error) {
	s.log.Warn("message refused", "err", err, "bytes", len(body))
	var wire *jsonrpc2.Error
	if !errors.As(err, &wire) {
		wire = jsonrpc2.NewError(jsonrpc2.ParseError, err.Error())
	}
	if wire.Code == jsonrpc2.InvalidRequest && bytes.Contains(body, []byte(`"result"`)) {
		return
	}
	s.refuse(wire)
}

// refuse sends an error response without an id, as JSON-RPC asks for when the
// request's id is not known.
func (s *stream) refuse(err *jsonrpc2.Error) {
	if _, werr := s.Write(context.Background(), jsonrpc2.NewResponse(jsonrpc2.ID{}, nil, err)); werr != nil {
		s.log.Warn("refusing a message", "err", werr)
	}
}

// readFrame returns the next body, or nil for one that was skipped because it
// is too large.
func (s *stream) readFrame() ([]byte, error) {
	length, err := s.readHeader()
	if err != nil {
		return nil, err
	}
	if length > maxBody {
		_, err := io.CopyN(io.Discard, s.in, length)
		return nil, err
	}
	if cap(s.body) > keepBody {
		s.body = nil
	}
	s.body, err = readGrowing(s.in, s.body[:0], int(length))
	if s.body == nil {
		s.body = []byte{}
	}
	return s.body, err
}

// readGrowing appends n bytes from r to buf, allocating at most as much again
// as has already arrived.
func readGrowing(r io.Reader, buf []byte, n int) ([]byte, error) {
	for len(buf) < n {
		if len(buf) == cap(buf) {
			size := min(n, max(bodyChunk, 2*len(buf)))
			buf = append(make([]byte, 0, size), buf...)
		}
		part := buf[len(buf):min(n, cap(buf))]
		m, err := io.ReadFull(r, part)
		buf = buf[:len(buf)+m]
		if err != nil {
			return buf, io.ErrUnexpectedEOF
		}
	}
	return buf, nil
}

// readHeader reads one header block and returns the length it announces.
func (s *stream) readHeader() (int64, error) {
	length := int64(-1)
	for n := range maxHeaderLines {
		line, err := s.in.ReadSlice('\n')
		if err != nil {
			return 0, headerEnd(err, n == 0 && len(line) == 0)
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			if length < 0 {
				return 0, fmt.Errorf("%w: no Content-Length", errHeader)
			}
			return length, nil
		}
		if length, err = headerField(text, length); err != nil {
			return 0, err
		}
	}
	return 0, fmt.Errorf("%w: more than %d lines", errHeader, maxHeaderLines)
}

// headerEnd says what a failed read of a header line means.
func headerEnd(err error, between bool) error {
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return fmt.Errorf("%w: line longer than %d bytes", errHeader, maxHeaderLine)
	case errors.Is(err, io.EOF) && !between:
		return io.ErrUnexpectedEOF
	}
	return err
}

// headerField reads one "Name: value" line. Other fields than Content-Length
// mean nothing to the server; a second, different length is an error.
func headerField(line string, length int64) (int64, error) {
	name, value, ok := strings.Cut(line, ":")
	if !ok {
		return 0, fmt.Errorf("%w: line without a colon", errHeader)
	}
	if !strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
		return length, nil
	}
	n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
	if err != nil || n < 0 || length >= 0 && n != length {
		return 0, fmt.Errorf("%w: bad Content-Length", errHeader)
	}
	return n, nil
}

// Write queues one message. It fails, and with it the session, when the client
// has let [maxQueued] bytes pile up.
func (s *stream) Write(_ context.Context, msg jsonrpc2.Message) (int64, error) {
	body, err := jsonrpc2.EncodeMessage(msg)
	if err != nil {
		return 0, err
	}
	frame := make([]byte, 0, len(body)+32)
	frame = fmt.Appendf(frame, "Content-Length: %d\r\n\r\n", len(body))
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
		s.failLocked(fmt.Errorf("client does not read: %d bytes are waiting", s.queued))
		return 0, s.failed
	}
	s.queue = append(s.queue, frame)
	s.queued += len(frame)
	s.wake.Signal()
	return int64(len(frame)), nil
}

// writeLoop writes what is queued, in order, until the stream is closed and
// empty or writing fails.
func (s *stream) writeLoop() {
	defer close(s.drained)
	stall := time.AfterFunc(s.stall, func() { s.fail(errors.New("client does not read: write stalled")) })
	stall.Stop()
	for {
		frames, ok := s.take()
		if !ok {
			return
		}
		for _, f := range frames {
			stall.Reset(s.stall)
			_, err := s.out.Write(f)
			stall.Stop()
			if err != nil {
				s.fail(err)
				return
			}
		}
	}
}

// take waits for queued frames and removes them from the queue.
func (s *stream) take() ([][]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) == 0 && !s.closed && s.failed == nil {
		s.wake.Wait()
	}
	if s.failed != nil || len(s.queue) == 0 {
		return nil, false
	}
	frames := s.queue
	s.queue, s.queued = nil, 0
	return frames, true
}

// fail ends the session because writing does not work any more.
func (s *stream) fail(err error) {
	s.mu.Lock()
	s.failLocked(err)
	s.mu.Unlock()
}

func (s *stream) failLocked(err error) {
	if s.failed == nil {
		s.failed = err
		s.log.Error("writing to the client", "err", err)
	}
	s.queue, s.queued = nil, 0
	s.wake.Signal()
	s.end()
}

// Close accepts no further writes; what is queued is still written. It never
// blocks, because [jsonrpc2.Conn] calls it under its own lock.
func (s *stream) Close() error {
	s.mu.Lock()
	s.closed = true
	s.wake.Signal()
	s.mu.Unlock()
	s.end()
	return nil
}

// shut flushes what is queued and releases both ends. An end that cannot be
// closed may keep a goroutine blocked in its Read or Write until the process
// ends; nothing else waits for it.
func (s *stream) shut() {
	_ = s.Close()
	select {
	case <-s.drained:
	case <-time.After(flushWithin):
		s.log.Warn("the client did not take the last replies")
	}
	if c, ok := s.src.(io.Closer); ok {
		_ = c.Close()
	}
	if c, ok := s.out.(io.Closer); ok {
		_ = c.Close()
	}
}
