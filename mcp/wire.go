package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxMessage is the longest message that is read, in bytes: that of the SDK.
const maxMessage = 16 << 20

// wire is the pair of streams as the SDK takes it, one message a line. The SDK ends
// the session at the first line that it cannot read; here such a line is answered
// with an error, and the session goes on.
type wire struct {
	lines   *bufio.Reader
	in      io.Reader
	waiting []byte // a checked message, or what is left of it
	batches bool   // the protocol that the client asked for has batches

	mu   sync.Mutex // held while a message is written
	out  io.Writer
	once sync.Once
}

func newWire(in io.Reader, out io.Writer) *wire {
	return &wire{in: in, lines: bufio.NewReaderSize(in, 64<<10), out: out}
}

// Read gives the SDK whole checked messages only.
func (w *wire) Read(p []byte) (int, error) {
	for len(w.waiting) == 0 {
		line, err := w.line()
		if err == nil || len(line) > 0 {
			w.waiting = w.check(bytes.TrimSpace(line))
		}
		if err != nil && len(w.waiting) == 0 {
			return 0, err
		}
	}
	n := copy(p, w.waiting)
	w.waiting = w.waiting[n:]
	return n, nil
}

// line reads a line. One that is too long is skipped and answered.
func (w *wire) line() (line []byte, err error) {
	for {
		part, err := w.lines.ReadSlice('\n')
		if len(line)+len(part) > maxMessage {
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = w.lines.ReadSlice('\n')
			}
			w.refuse(nil, jsonrpc.CodeInvalidRequest, "message longer than 16 MiB")
			return nil, err
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// check returns a message as the SDK can read it, nil if it cannot.
func (w *wire) check(line []byte) []byte {
	switch {
	case len(line) == 0:
		return nil
	case !json.Valid(line):
		return w.refuse(nil, jsonrpc.CodeParseError, "not JSON; one message a line")
	case line[0] == '[':
		return w.checkBatch(line)
	}
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		var id struct{ ID json.RawMessage }
		json.Unmarshal(line, &id) // none is null
		return w.refuse(id.ID, jsonrpc.CodeInvalidRequest, "no JSON-RPC 2.0 message")
	}
	if r, ok := m.(*jsonrpc.Request); ok && r.Method == "initialize" {
		var params struct{ ProtocolVersion string }
		json.Unmarshal(r.Params, &params) // the SDK says what is wrong with it
		w.batches = params.ProtocolVersion == "2025-03-26" || params.ProtocolVersion == "2024-11-05"
	}
	return append(line, '\n')
}

// checkBatch takes notifications out of a batch, which have no part in its answer.
func (w *wire) checkBatch(line []byte) (out []byte) {
	var all, calls []json.RawMessage
	var ids []any
	if err := json.Unmarshal(line, &all); err != nil || len(all) == 0 || !w.batches {
		return w.refuse(nil, jsonrpc.CodeInvalidRequest, "batches are for the protocols 2024-11-05 and 2025-03-26, and not empty")
	}
	for _, one := range all {
		m, err := jsonrpc.DecodeMessage(one)
		r, ok := m.(*jsonrpc.Request)
		switch {
		case err != nil, ok && r.IsCall() && slices.Contains(ids, r.ID.Raw()):
			return w.refuse(nil, jsonrpc.CodeInvalidRequest, "a batch holds what is no JSON-RPC 2.0 message, or an id twice")
		case ok && r.IsCall():
			ids, calls = append(ids, r.ID.Raw()), append(calls, one)
		default:
			out = append(append(out, one...), '\n')
		}
	}
	if len(calls) > 0 {
		batch, _ := json.Marshal(calls) // raw messages that were just decoded
		out = append(append(out, batch...), '\n')
	}
	return out
}

// refuse answers what is no message.
func (w *wire) refuse(id json.RawMessage, code int64, why string) []byte {
	if len(id) == 0 || strings.ContainsAny(string(id[:1]), "[{") {
		id = json.RawMessage("null")
	}
	answer, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": why}}) // plain values
	w.Write(append(answer, '\n'))                                                                                                // who does not listen ends the session elsewhere
	return nil
}

// Write writes a message.
func (w *wire) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}

// Close unblocks the read. The SDK calls it more than once.
func (w *wire) Close() error {
	w.once.Do(func() {
		if c, ok := w.in.(io.Closer); ok {
			c.Close() // of an input nothing is lost
		}
	})
	return nil
}
