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

// codeCancelled is the code for a call that the client cancelled: RequestCancelled from the Language Server
// Protocol. Neither JSON-RPC nor this protocol has one.
const codeCancelled = -32800

// maxMessage bounds a message, in bytes; it is the SDK's limit.
const maxMessage = 16 << 20

// wire is the pair of streams in the form that the SDK needs, with one message a line. The SDK ends the session at
// the first line that it cannot read, and at the first answer that it cannot write. A wire answers such a line
// with an error, corrects such an answer ([connection]), and continues the session.
type wire struct {
	lines   *bufio.Reader
	in      io.Reader
	waiting []byte // the rest of the checked messages
	batches bool   // the client's protocol has batches

	mu    sync.Mutex
	calls map[jsonrpc.ID]bool // calls without an answer yet; true for those that last until the session ends
	asked map[jsonrpc.ID]bool // the server's own calls, likewise
	owed  int                 // answers that are not written yet; calls that last need none
	ended bool                // reading has ended
	idle  chan struct{}       // closed when the input has ended and no answer is missing
	news  chan struct{}       // contains one element if the server made a call since it was emptied

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

// Read gives the SDK only complete, checked messages.
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

// line reads a line. A line that is too long is skipped and answered with an error.
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

// check returns a message in a form that the SDK can read, nil if that is impossible.
func (w *wire) check(line []byte) []byte {
	line = bytes.TrimSpace(markdown.WithoutMarks(line))
	switch {
	case len(line) == 0:
		return nil
	case !json.Valid(line):
		return w.refuse(nil, jsonrpc.CodeParseError, "not JSON; send one message on each line")
	case line[0] == '[':
		return w.checkBatch(line)
	}
	id := idOf(line)
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return w.refuse(id, jsonrpc.CodeInvalidRequest, "not a JSON-RPC 2.0 message")
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
		json.Unmarshal(r.Params, &params) // the SDK reports errors in it
		w.batches = params.ProtocolVersion == "2025-03-26" || params.ProtocolVersion == "2024-11-05"
	}
	switch {
	case !r.IsCall():
	case !repeatable(r.ID, id):
		return w.refuse(id, jsonrpc.CodeInvalidRequest, "id: must be a string, or a whole number of at most 2^53")
	case !w.begin(r.Method == "subscriptions/listen", r.ID):
		return w.refuse(nil, jsonrpc.CodeInvalidRequest, "id: already used by a request in progress")
	}
	return append(line, '\n')
}

// checkBatch is check for a list of messages. The SDK answers a list of calls with a list. If the list contained
// other messages, it would wait for their answers too.
func (w *wire) checkBatch(line []byte) (out []byte) {
	var all, calls []json.RawMessage
	if err := json.Unmarshal(line, &all); err != nil || len(all) == 0 || !w.batches {
		return w.refuse(nil, jsonrpc.CodeInvalidRequest, "JSON-RPC batches must not be empty, and need protocol version 2024-11-05 "+
			"or 2025-03-26")
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
		return w.refuse(nil, jsonrpc.CodeInvalidRequest, "the batch contains an id twice, or an id that is in use")
	}
	if len(calls) == 0 {
		return out
	}
	list, _ := json.Marshal(calls) // valid JSON already
	return append(append(out, list...), '\n')
}

// idOf returns the id of a message as it is written.
func idOf(message []byte) json.RawMessage {
	var members map[string]json.RawMessage
	json.Unmarshal(message, &members) // a message that is no object has no members
	return members["id"]
}

// repeatable reports whether the SDK's answer will have the same id as the request. The SDK converts all numbers
// to whole ones, and all strings to valid text.
func repeatable(id jsonrpc.ID, written json.RawMessage) bool {
	const exact = 1 << 53 // up to here, a float64 represents each whole number exactly
	switch v := id.Raw().(type) {
	case int64:
		f, err := strconv.ParseFloat(string(written), 64)
		return err == nil && f == float64(v) && -exact < v && v < exact
	case string:
		return !strings.ContainsRune(v, utf8.RuneError)
	}
	return true
}

// begin records calls, all of a batch at once, until they are answered. It reports whether their ids are not in
// use.
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

// drainWithin bounds how long running requests may continue after the input ended. It is longer than any answer
// without a model takes once the code is read, and longer than the wait for a model.
const drainWithin = 90 * time.Second

// drain waits, after the end of the input, until all requests are answered: a client may write its requests, close
// its end, and then read. It returns answers to the server's own calls, which the client cannot answer any more.
func (w *wire) drain() (answers []byte) {
	late := time.After(drainWithin)
	for {
		w.mu.Lock()
		if w.owed == 0 && !w.ended {
			close(w.idle)
		}
		w.ended = true
		for id := range w.asked {
			gone := &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: codeCancelled, Message: "the client closed its input"}}
			answer, _ := jsonrpc.EncodeMessage(gone) // plain values always marshal
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

// refuse answers an invalid message with an error.
func (w *wire) refuse(id json.RawMessage, code int64, why string) []byte {
	if len(id) == 0 || strings.ContainsAny(string(id[:1]), "[{tf") || !utf8.Valid(id) {
		id = json.RawMessage("null")
	}
	// plain values always marshal
	answer, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": why}})
	// if the client does not listen, the session ends elsewhere
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
			c.Close() // closing an input loses nothing
		}
		close(w.closed)
	})
	return nil
}
