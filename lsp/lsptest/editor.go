package lsptest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/lsp"
)

// Editor is one client session.
type Editor struct {
	out    io.WriteCloser
	writes sync.Mutex // one frame at a time

	mu         sync.Mutex // guards the fields below
	next       int64
	pending    map[int64]asked
	received   []Message
	answers    map[string]AnswerFunc
	changed    chan struct{} // closed and replaced whenever something arrives
	docs       map[string]*buffer
	encoding   string
	announced  any // the client's capabilities, once the server has answered to them
	offered    any // the server's
	violations []string
	ended      error // why reading ended; nil while it goes on

	paused   chan struct{} // while not closed, nothing is read; nil: never paused
	readers  sync.WaitGroup
	exited   chan struct{} // closed when an in-process server has returned
	exitCode int
}

// Message is one request or notification that the server sent.
type Message struct {
	Method  string
	Params  json.RawMessage
	Request bool // it wanted an answer

	// ID is that of an answer nobody waits for. Such are recorded as well, under "error"
	// with the error as parameters, or "result".
	ID json.RawMessage
}

// AnswerFunc answers a request of the server's.
type AnswerFunc func(params json.RawMessage) (any, error)

// ResponseError is an error that a request was answered with. An [AnswerFunc]
// may return one as well.
type ResponseError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error gives the code and the message.
func (e *ResponseError) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Message) }

type reply struct {
	result json.RawMessage
	err    error
}

// errEnded is what calls return once the server has closed the connection.
var errEnded = errors.New("the server closed the connection")

// Start runs a server in this process and connects an editor to it.
func Start(o lsp.Options) *Editor {
	client, server := net.Pipe()
	e := newEditor(client)
	e.exited = make(chan struct{})
	go func() {
		e.exitCode = lsp.Serve(context.Background(), server, server, o)
		close(e.exited)
	}()
	e.read(client)
	return e
}

// Attach connects an editor to a server that reads from w and writes to r, such
// as a command's standard streams.
func Attach(r io.Reader, w io.WriteCloser) *Editor {
	e := newEditor(w)
	e.read(r)
	return e
}

func newEditor(out io.WriteCloser) *Editor {
	return &Editor{
		out: out, pending: map[int64]asked{}, answers: map[string]AnswerFunc{},
		changed: make(chan struct{}), docs: map[string]*buffer{}, encoding: "utf-16",
	}
}

// Call sends a request and waits for its answer, which is decoded into result
// unless that is nil. If ctx ends first, the request is cancelled.
func (e *Editor) Call(ctx context.Context, method string, params, result any) error {
	id, answered, err := e.Begin(method, params)
	if err != nil {
		return err
	}
	select {
	case r := <-answered:
		return r.decode(result)
	case <-ctx.Done():
		_ = e.Notify("$/cancelRequest", map[string]any{"id": id})
		return ctx.Err()
	}
}

func (r reply) decode(result any) error {
	if r.err != nil || result == nil {
		return r.err
	}
	return json.Unmarshal(r.result, result)
}

// Pending is a request under way.
type Pending <-chan reply

// Wait waits for the answer.
func (p Pending) Wait(ctx context.Context, result any) error {
	select {
	case r := <-p:
		return r.decode(result)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Begin sends a request and returns its id and what to wait for.
func (e *Editor) Begin(method string, params any) (id int64, answered Pending, err error) {
	ch := make(chan reply, 1)
	raw, err := json.Marshal(params)
	if err != nil {
		return 0, nil, err
	}
	e.mu.Lock()
	if e.ended != nil {
		e.mu.Unlock()
		return 0, nil, e.ended
	}
	e.next++
	id = e.next
	e.pending[id] = asked{answered: ch, method: method, params: raw, docs: e.snapshotLocked()}
	e.mu.Unlock()
	return id, ch, e.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method}, params)
}

// Notify sends a notification.
func (e *Editor) Notify(method string, params any) error {
	return e.send(map[string]any{"jsonrpc": "2.0", "method": method}, params)
}

func (e *Editor) send(message map[string]any, params any) error {
	if params != nil {
		message["params"] = params
	}
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	return e.SendBody(body)
}

// SendBody sends bytes as the body of one well-framed message.
func (e *Editor) SendBody(body []byte) error {
	frame := fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body))
	return e.SendRaw(append(frame, body...))
}

// SendRaw sends bytes as they are.
func (e *Editor) SendRaw(raw []byte) error {
	e.writes.Lock()
	defer e.writes.Unlock()
	_, err := e.out.Write(raw)
	return err
}

// Answer sets how requests of one method are answered from now on.
func (e *Editor) Answer(method string, f AnswerFunc) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answers[method] = f
}

// Received returns what the server has sent so far: all of it, or the messages
// of one method.
func (e *Editor) Received(method string) []Message {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.receivedLocked(method)
}

func (e *Editor) receivedLocked(method string) []Message {
	var out []Message
	for _, m := range e.received {
		if method == "" || m.Method == method {
			out = append(out, m)
		}
	}
	return out
}

// WaitFor waits until the messages of one method satisfy done, and returns them.
func (e *Editor) WaitFor(ctx context.Context, method string, done func([]Message) bool) ([]Message, error) {
	for {
		e.mu.Lock()
		messages, changed, ended := e.receivedLocked(method), e.changed, e.ended
		e.mu.Unlock()
		if done(messages) {
			return messages, nil
		}
		if ended != nil {
			return messages, ended
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return messages, fmt.Errorf("waiting for %s: %w (%d came)", method, ctx.Err(), len(messages))
		}
	}
}

// Pause has the editor read no more, as one that hangs does, until it is closed. What it
// is in the middle of is read to its end.
func (e *Editor) Pause() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.paused == nil {
		e.paused = make(chan struct{})
	}
}

// hung waits while the editor is paused.
func (e *Editor) hung() {
	e.mu.Lock()
	paused := e.paused
	e.mu.Unlock()
	if paused != nil {
		<-paused
	}
}

// Close hangs up, as an editor that dies does, and waits for a server in this
// process to end.
func (e *Editor) Close() {
	_ = e.out.Close()
	e.mu.Lock()
	if e.paused != nil {
		close(e.paused)
		e.paused = nil
	}
	e.mu.Unlock()
	e.readers.Wait()
	if e.exited != nil {
		<-e.exited
	}
}

// Shutdown ends the session as the protocol asks for and returns the exit code
// of a server in this process, 0 for any other.
func (e *Editor) Shutdown(ctx context.Context) (exitCode int, err error) {
	if err := e.Call(ctx, "shutdown", nil, nil); err != nil {
		return 0, err
	}
	if err := e.Notify("exit", nil); err != nil {
		return 0, err
	}
	return e.ExitCode(ctx)
}

// ExitCode waits for a server in this process to end.
func (e *Editor) ExitCode(ctx context.Context) (int, error) {
	if e.exited == nil {
		return 0, nil
	}
	select {
	case <-e.exited:
		return e.exitCode, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// read starts the goroutine that takes what the server sends.
func (e *Editor) read(r io.Reader) {
	e.readers.Go(func() {
		in := bufio.NewReader(r)
		for {
			body, err := readFrame(in)
			if err != nil {
				e.end(fmt.Errorf("%w: %w", errEnded, err))
				return
			}
			e.take(body)
			e.hung()
		}
	})
}

func readFrame(in *bufio.Reader) ([]byte, error) {
	length := -1
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			break
		}
		if value, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			if length, err = strconv.Atoi(value); err != nil {
				return nil, err
			}
		}
	}
	if length < 0 {
		return nil, errors.New("frame without Content-Length")
	}
	body := make([]byte, length)
	_, err := io.ReadFull(in, body)
	return body, err
}

// take handles one message of the server's.
func (e *Editor) take(body []byte) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
		Result json.RawMessage `json:"result"`
		Error  *ResponseError  `json:"error"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		e.end(fmt.Errorf("the server sent no JSON: %w", err))
		return
	}
	if m.Method == "" {
		e.takeReply(m.ID, reply{result: m.Result}, m.Error)
		return
	}
	request := len(m.ID) > 0 && !bytes.Equal(m.ID, []byte("null"))
	e.record(Message{Method: m.Method, Params: m.Params, Request: request})
	if request {
		e.readers.Go(func() { e.reply(m.ID, m.Method, m.Params) })
	}
}

// takeReply hands an answer to who waits for it; see [Message].ID for others.
func (e *Editor) takeReply(rawID json.RawMessage, r reply, failed *ResponseError) {
	if failed != nil {
		r.err = failed
	}
	var id int64
	var q asked
	e.mu.Lock()
	if json.Unmarshal(rawID, &id) == nil && !bytes.Equal(rawID, []byte("null")) {
		q = e.pending[id]
		delete(e.pending, id)
	}
	if q.answered != nil && failed == nil {
		e.agreeLocked(q, r.result)
		e.checkAnswer(q, r.result)
	}
	e.mu.Unlock()
	switch {
	case q.answered != nil:
		q.answered <- r
	case failed != nil:
		raw, _ := json.Marshal(failed)
		e.record(Message{Method: "error", Params: raw, ID: rawID})
	default:
		e.record(Message{Method: "result", Params: r.result, ID: rawID})
	}
}

func (e *Editor) record(m Message) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.received = append(e.received, m)
	e.checkMessage(m)
	close(e.changed)
	e.changed = make(chan struct{})
}

// end fails whatever waits.
func (e *Editor) end(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended != nil {
		return
	}
	e.ended = err
	for id, q := range e.pending {
		q.answered <- reply{err: err}
		delete(e.pending, id)
	}
	close(e.changed)
	e.changed = make(chan struct{})
}

// reply answers a request of the server's.
func (e *Editor) reply(id json.RawMessage, method string, params json.RawMessage) {
	e.mu.Lock()
	f := e.answers[method]
	e.mu.Unlock()
	if f == nil {
		f = defaultAnswers[method]
	}
	message := map[string]any{"jsonrpc": "2.0", "id": id}
	result, err := any(nil), error(&ResponseError{Code: -32601, Message: "not supported: " + method})
	if f != nil {
		result, err = f(params)
	}
	if err != nil {
		var failed *ResponseError
		if !errors.As(err, &failed) {
			failed = &ResponseError{Code: -32603, Message: err.Error()}
		}
		message["error"] = failed
	} else {
		message["result"] = result
	}
	_ = e.send(message, nil)
}

// defaultAnswers are those of an editor whose user is away.
var defaultAnswers = map[string]AnswerFunc{
	"client/registerCapability":      func(json.RawMessage) (any, error) { return nil, nil },
	"client/unregisterCapability":    func(json.RawMessage) (any, error) { return nil, nil },
	"window/workDoneProgress/create": func(json.RawMessage) (any, error) { return nil, nil },
	"window/showMessageRequest":      func(json.RawMessage) (any, error) { return nil, nil },
	"window/showDocument":            func(json.RawMessage) (any, error) { return map[string]bool{"success": true}, nil },
	"workspace/applyEdit":            func(json.RawMessage) (any, error) { return map[string]bool{"applied": true}, nil },
	"workspace/diagnostic/refresh":   func(json.RawMessage) (any, error) { return nil, nil },
}
