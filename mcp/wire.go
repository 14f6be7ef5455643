package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/panics"
)

// codeCancelled is the code of a call that the client called off, where neither JSON-RPC nor
// this protocol has one: that of the Language Server Protocol, RequestCancelled.
const codeCancelled = -32800

// maxMessage is the longest message that is read, in bytes: that of the SDK.
const maxMessage = 16 << 20

// wire is the pair of streams as the SDK takes it, one message a line. The SDK ends
// the session at the first line that it cannot read, and at the first answer that it
// cannot write; here such a line is answered with an error, such an answer is mended
// ([connection]), and the session goes on.
type wire struct {
	lines   *bufio.Reader
	in      io.Reader
	waiting []byte // checked messages, or what is left of them
	batches bool   // the protocol that the client asked for has batches

	mu    sync.Mutex
	calls map[jsonrpc.ID]bool // without an answer yet; whether it goes on until the session ends
	asked map[jsonrpc.ID]bool // calls of the server's own, likewise
	owed  int                 // answers that are not written yet; what listens for good is owed none
	ended bool                // nothing more is read
	idle  chan struct{}       // closed when the input has ended and nothing is owed any more
	news  chan struct{}       // one is in it when something was asked since it was emptied

	writing sync.Mutex // held while a message is written
	out     io.Writer
	once    sync.Once
	closed  chan struct{}
}

func newWire(in io.Reader, out io.Writer) *wire {
	return &wire{in: in, lines: bufio.NewReaderSize(in, 64<<10), out: out, calls: map[jsonrpc.ID]bool{},
		asked: map[jsonrpc.ID]bool{}, idle: make(chan struct{}),
		news: make(chan struct{}, 1), closed: make(chan struct{})}
}

// Read gives the SDK whole checked messages only.
func (w *wire) Read(p []byte) (int, error) {
	for len(w.waiting) == 0 {
		line, err := w.line()
		if err == nil || len(line) > 0 {
			if panics.Try(func() error { w.waiting = w.check(line); return nil }) != nil {
				w.waiting = w.refuse(nil, jsonrpc.CodeInternalError, "internal error; other messages still work")
			}
		}
		if err != nil && len(w.waiting) == 0 {
			if w.waiting = w.drain(); len(w.waiting) == 0 {
				return 0, err
			}
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
	line = bytes.TrimSpace(markdown.WithoutMarks(line))
	switch {
	case len(line) == 0:
		return nil
	case !json.Valid(line):
		return w.refuse(nil, jsonrpc.CodeParseError, "not JSON; one message a line")
	case line[0] == '[':
		return w.checkBatch(line)
	}
	id := idOf(line)
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return w.refuse(id, jsonrpc.CodeInvalidRequest, "no JSON-RPC 2.0 message")
	}
	r, ok := m.(*jsonrpc.Request)
	if !ok {
		w.mu.Lock()
		delete(w.asked, m.(*jsonrpc.Response).ID)
		w.mu.Unlock()
		return append(line, '\n')
	}
	if r.Method == "initialize" {
		var params struct{ ProtocolVersion string }
		json.Unmarshal(r.Params, &params) // the SDK says what is wrong with it
		w.batches = params.ProtocolVersion == "2025-03-26" || params.ProtocolVersion == "2024-11-05"
	}
	switch {
	case !r.IsCall():
	case !repeatable(r.ID, id):
		return w.refuse(id, jsonrpc.CodeInvalidRequest, "id: must be a text, or a whole number of at most 2^53")
	case !w.begin(r.Method == "subscriptions/listen", r.ID):
		return w.refuse(nil, jsonrpc.CodeInvalidRequest, "id: already used by a request in progress")
	}
	return append(line, '\n')
}

// checkBatch is check for a list of messages. The SDK writes the answers to a list of calls as a list; among them it would
// wait for answers to what is no call.
func (w *wire) checkBatch(line []byte) (out []byte) {
	var all, calls []json.RawMessage
	if err := json.Unmarshal(line, &all); err != nil || len(all) == 0 || !w.batches {
		return w.refuse(nil, jsonrpc.CodeInvalidRequest, "JSON-RPC batches must not be empty, and need protocol 2024-11-05 or 2025-03-26")
	}
	var ids []jsonrpc.ID
	for _, one := range all {
		m, err := jsonrpc.DecodeMessage(one)
		r, ok := m.(*jsonrpc.Request)
		call := ok && r.IsCall()
		if err != nil || call && !repeatable(r.ID, idOf(one)) {
			return w.refuse(nil, jsonrpc.CodeInvalidRequest, "the batch contains an invalid JSON-RPC 2.0 message")
		}
		if call {
			ids, calls = append(ids, r.ID), append(calls, one)
		} else {
			out = append(append(out, one...), '\n')
		}
	}
	if !w.begin(false, ids...) {
		return w.refuse(nil, jsonrpc.CodeInvalidRequest, "the batch contains an id twice or one that is in use")
	}
	if len(calls) == 0 {
		return out
	}
	list, _ := json.Marshal(calls) // JSON already
	return append(append(out, list...), '\n')
}

// idOf is the id of a message as it is written.
func idOf(message []byte) json.RawMessage {
	var members map[string]json.RawMessage
	json.Unmarshal(message, &members) // what is no object has none
	return members["id"]
}

// repeatable reports whether an answer has the id that the request has as it is written. The SDK
// makes whole numbers of all, and texts of what is none.
func repeatable(id jsonrpc.ID, written json.RawMessage) bool {
	const exact = 1 << 53 // up to here a float64 holds each whole number
	switch v := id.Raw().(type) {
	case int64:
		f, err := strconv.ParseFloat(string(written), 64)
		return err == nil && f == float64(v) && -exact < v && v < exact
	case string:
		return !strings.ContainsRune(v, utf8.RuneError)
	}
	return true
}

// begin remembers calls, all of a batch, until they are answered. It reports whether no other
// has an id of them.
func (w *wire) begin(lasting bool, ids ...jsonrpc.ID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, id := range ids {
		if _, used := w.calls[id]; used {
			for _, own := range ids[:i] {
				delete(w.calls, own)
			}
			return false
		}
		w.calls[id] = lasting
	}
	if !lasting {
		w.owed += len(ids)
	}
	return true
}

// drainWithin bounds how long what was asked before the input ended may go on: longer than any
// answer without a model takes once the code is read, and than a model is waited for.
const drainWithin = 90 * time.Second

// drain waits, behind the end of the input, until what was asked is answered: a client may write
// its requests, close its end, and read. It returns answers to what the server asks of the client
// meanwhile, which nobody else gives.
func (w *wire) drain() (answers []byte) {
	late := time.After(drainWithin)
	for {
		w.mu.Lock()
		if w.owed == 0 && !w.ended {
			close(w.idle)
		}
		w.ended = true
		for id := range w.asked {
			gone := &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: codeCancelled, Message: "the client ended its input"}}
			answer, _ := jsonrpc.EncodeMessage(gone) // plain values
			answers = append(append(answers, answer...), '\n')
		}
		clear(w.asked)
		w.mu.Unlock()
		if len(answers) > 0 {
			return answers
		}
		select {
		case <-w.news:
		case <-w.idle:
			return nil
		case <-w.closed:
			return nil
		case <-late:
			return nil
		}
	}
}

// refuse answers what is no message.
func (w *wire) refuse(id json.RawMessage, code int64, why string) []byte {
	if len(id) == 0 || strings.ContainsAny(string(id[:1]), "[{tf") || !utf8.Valid(id) {
		id = json.RawMessage("null")
	}
	// plain values
	answer, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": why}})
	// who does not listen ends the session elsewhere
	w.Write(append(answer, '\n'))
	return nil
}

// Write writes a message.
func (w *wire) Write(p []byte) (int, error) {
	w.writing.Lock()
	defer w.writing.Unlock()
	return w.out.Write(p)
}

// Close unblocks the read. The SDK calls it more than once.
func (w *wire) Close() error {
	w.once.Do(func() {
		if c, ok := w.in.(io.Closer); ok {
			c.Close() // of an input nothing is lost
		}
		close(w.closed)
	})
	return nil
}
