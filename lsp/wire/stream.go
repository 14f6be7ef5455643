// Package wire carries messages between the client and the server: LSP framing with limits on the memory that
// a client can make the server use, a queue of writes, and the reading of parameters, whose errors name the
// keys of the protocol.
package wire

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// Limits of the wire. A message body is read in chunks that grow with the bytes
// that really arrive, so a header alone can never make the server allocate.
const (
	maxHeaderLine  = 4 << 10  // bytes of one header line; real ones are under 40
	maxHeaderLines = 16       // lines of one header block; real ones have one or two
	maxBody        = 64 << 20 // bytes of one message; editors refuse larger files before that
	maxDepth       = 1000     // nested arrays and objects; real messages have under 30, and readers recurse
	bodyChunk      = 64 << 10 // first allocation for a body
	keepBody       = 1 << 20  // a larger read buffer is given back after its message
)

var (
	errHeader     = errors.New("malformed message header")
	errPassedOver = errors.New("the message was refused and skipped")
)

// Stream is the server's end of the connection: LSP framing with limits, below [jsonrpc2.Conn]. The stock framer
// closes the connection for JSON that does not parse, for an invalid request, and for a body that is too large. A
// Stream answers these with an error response, and the session continues. A body that is too large is skipped up
// to the next header, whatever length it announced. Only a header block that hides where the next message begins
// ends the session.
//
// Writes are queued, and one goroutine writes them. So the read loop never waits for a client that waits for the
// read loop.
type Stream struct {
	in  *bufio.Reader
	src io.Reader // the source of in; closed with the stream if possible
	out io.Writer
	log *slog.Logger

	found string // a Content-Length line of the next message that was already read

	body []byte // reused; a decoded request uses it until the next Read

	ended   chan struct{} // closed at the end of reading
	endOnce sync.Once

	outbox
}

// Open makes a stream from in and out, and starts the goroutine that writes; [Stream.Shut] ends it. One write may
// take as long as stall, or a minute if that is not positive. The log reports write errors, so it must not write
// to the stream.
func Open(in io.Reader, out io.Writer, log *slog.Logger, stall time.Duration) *Stream {
	s := newStream(in, out, log)
	if stall > 0 {
		s.stall = stall
	}
	go s.writeLoop()
	return s
}

func newStream(in io.Reader, out io.Writer, log *slog.Logger) *Stream {
	s := &Stream{
		in: bufio.NewReaderSize(in, maxHeaderLine), src: in, out: out, log: log, ended: make(chan struct{}),
		outbox: outbox{drained: make(chan struct{}), stall: stallAfter},
	}
	s.wake.L = &s.mu
	return s
}

// Ended returns a channel that is closed at the end of reading.
func (s *Stream) Ended() <-chan struct{} { return s.ended }

// End makes the next Read report the end of the stream.
func (s *Stream) End() { s.endOnce.Do(func() { close(s.ended) }) }

// Read returns the next well-formed message. A request uses the stream's buffer until the next call.
func (s *Stream) Read(context.Context) (jsonrpc2.Message, int64, error) {
	for {
		select {
		case <-s.ended:
			return nil, 0, io.EOF
		default:
		}
		body, err := s.readFrame()
		var refused *jsonrpc2.Error
		switch {
		case errors.As(err, &refused):
			s.refuse(refused)
			continue
		case errors.Is(err, errPassedOver):
			continue
		case err != nil:
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
				s.log.Error("cannot read from the client", "err", err)
			}
			s.End()
			return nil, 0, io.EOF
		}
		body = markdown.WithoutMarks(body)
		if tooDeep(body) {
			s.refuse(jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "the message nests deeper than %d levels", maxDepth))
			continue
		}
		msg, err := jsonrpc2.DecodeMessage(body)
		if err == nil {
			return msg, int64(len(body)), nil
		}
		s.refuseBody(body, err)
	}
}

// tooDeep reports whether a body is nested too deeply. It skips strings, so that a long text costs only the search
// for its end.
func tooDeep(body []byte) bool {
	depth := 0
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '[', '{':
			if depth++; depth > maxDepth {
				return true
			}
		case ']', '}':
			depth--
		case '"':
			i += stringEnd(body[i+1:])
		}
	}
	return false
}

// stringEnd returns the length of a JSON string after its opening quote, including the closing one.
func stringEnd(text []byte) int {
	for i := 0; ; i++ {
		n := bytes.IndexAny(text[i:], `"\\`)
		if n < 0 {
			return len(text)
		}
		if i += n; text[i] == '"' {
			return i + 1
		}
		i++ // skip the escaped character
		if i >= len(text) {
			return len(text)
		}
	}
}

// refuseBody answers a body without a valid message. A malformed response is only logged, since otherwise the
// client would answer an answer.
func (s *Stream) refuseBody(body []byte, err error) {
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

// refuse sends an error response without an id, as JSON-RPC requires if the request's id is not known.
func (s *Stream) refuse(err *jsonrpc2.Error) {
	if _, werr := s.Write(context.Background(), jsonrpc2.NewResponse(jsonrpc2.ID{}, nil, err)); werr != nil {
		s.log.Warn("refusing a message", "err", werr)
	}
}

// header is the content of one header block.
type header struct {
	length  int64  // -1 until known
	charset string // of the body, "" if not given
}

// readFrame returns the next body. The error is a [*jsonrpc2.Error] if the body was skipped, or errPassedOver if
// that was reported already.
func (s *Stream) readFrame() ([]byte, error) {
	h, err := s.readHeader()
	if err != nil {
		return nil, err
	}
	switch {
	case h.length > maxBody:
		s.refuse(jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "the message is larger than %d bytes", maxBody))
		return nil, cmp.Or(s.passOver(), errPassedOver)
	case !strings.EqualFold(h.charset, "utf-8") && !strings.EqualFold(h.charset, "utf8") && h.charset != "":
		if _, err := io.CopyN(io.Discard, s.in, h.length); err != nil {
			return nil, err
		}
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "the message is not in UTF-8")
	}
	if cap(s.body) > keepBody {
		s.body = nil
	}
	s.body, err = readGrowing(s.in, s.body[:0], int(h.length))
	if s.body == nil {
		s.body = []byte{}
	}
	return s.body, err
}

// lengthField begins the header line with the length of the next message.
const lengthField = "content-length:"

// passOver skips a body that is too large, up to the Content-Length of the next message. A body cannot contain
// such a line, since JSON strings have no line ends and other JSON has no such letters. So a wrong length costs
// one message and not the session.
func (s *Stream) passOver() error {
	var before string // the end of the skipped bytes, which may be the beginning of the line
	for {
		part, err := s.in.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return headerEnd(err, false)
		}
		line := before + string(part)
		if at := strings.LastIndex(strings.ToLower(line), lengthField); err == nil && at >= 0 {
			if (&header{length: -1}).field(strings.TrimRight(line[at:], "\r\n")) == nil {
				s.found = strings.TrimRight(line[at:], "\r\n")
				return nil
			}
		}
		if before = ""; err != nil {
			before = line[len(line)-min(len(line), 2*len(lengthField)+maxDigits):]
		}
	}
}

// maxDigits bounds the digits of a length (an int64), with room for blanks.
const maxDigits = 32

// readGrowing appends n bytes from r to buf. The buffer is at most twice as large as the data that have arrived,
// or bodyChunk.
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

// readHeader reads one header block.
func (s *Stream) readHeader() (header, error) {
	h := header{length: -1}
	if s.found != "" {
		if err := h.field(s.found); err != nil {
			return h, err
		}
		s.found = ""
	}
	for n := range maxHeaderLines {
		line, err := s.in.ReadSlice('\n')
		if err != nil {
			return h, headerEnd(err, n == 0 && len(line) == 0)
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			if h.length < 0 {
				return h, fmt.Errorf("%w: no Content-Length", errHeader)
			}
			return h, nil
		}
		if err := h.field(text); err != nil {
			return h, err
		}
	}
	return h, fmt.Errorf("%w: more than %d lines", errHeader, maxHeaderLines)
}

// headerEnd returns the error for a failed read of a header line. between means that no byte of the header was
// read yet; then the end of the stream is no error.
func headerEnd(err error, between bool) error {
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return fmt.Errorf("%w: a line is longer than %d bytes", errHeader, maxHeaderLine)
	case errors.Is(err, io.EOF) && !between:
		return io.ErrUnexpectedEOF
	}
	return err
}

// field parses one "Name: value" line. It ignores unknown fields. A second, different length is an error.
func (h *header) field(line string) error {
	name, value, ok := strings.Cut(line, ":")
	if !ok {
		return fmt.Errorf("%w: line without a colon", errHeader)
	}
	switch strings.ToLower(strings.TrimSpace(name)) {
	case strings.TrimSuffix(lengthField, ":"):
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		if err != nil || n < 0 || h.length >= 0 && n != h.length {
			return fmt.Errorf("%w: bad Content-Length", errHeader)
		}
		h.length = n
	case "content-type":
		if _, charset, ok := strings.Cut(strings.ToLower(value), "charset="); ok {
			charset, _, _ = strings.Cut(charset, ";")
			h.charset = cmp.Or(strings.Trim(charset, ` "`), "none")
		}
	}
	return nil
}

// Codec marshals payloads with the protocol library's own encoder and decoder, which support LSP's unions. The
// library's codec is not exported.
type Codec struct{}

// Marshal passes raw JSON on unchanged.
func (Codec) Marshal(v any) ([]byte, error) {
	if raw, ok := v.(jsonrpc2.RawMessage); ok {
		if raw == nil {
			return []byte("null"), nil
		}
		return raw, nil
	}
	if raw, ok := v.(json.RawMessage); ok {
		return raw, nil
	}
	return protocol.Marshal(v)
}

// Unmarshal copies raw JSON, since data belongs to the stream.
func (Codec) Unmarshal(data []byte, v any) error {
	if p, ok := v.(*jsonrpc2.RawMessage); ok {
		*p = append(jsonrpc2.RawMessage(nil), data...)
		return nil
	}
	return protocol.Unmarshal(data, v)
}
