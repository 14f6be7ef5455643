package lsptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/lsp"
)

// Editor is one client session.
type Editor struct {
	// Patience bounds each wait for the server, however long the session is; 0 leaves that
	// to the contexts. It is set before the session begins.
	Patience time.Duration

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

// errEnded is the error of calls once the server has closed the connection.
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
	err, ended := answered.wait(ctx, result)
	if ended {
		_ = e.Notify("$/cancelRequest", map[string]any{"id": id})
	}
	return err
}

// patient is the context of one wait.
func (e *Editor) patient(ctx context.Context) (context.Context, context.CancelFunc) {
	if e.Patience == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, e.Patience)
}

func (r reply) decode(result any) error {
	if r.err != nil || result == nil {
		return r.err
	}
	return json.Unmarshal(r.result, result)
}

// Pending is a request under way.
type Pending struct {
	e     *Editor
	reply <-chan reply
}

// Wait waits for the answer.
func (p Pending) Wait(ctx context.Context, result any) error {
	err, _ := p.wait(ctx, result)
	return err
}

// wait also reports whether the wait ended without an answer.
func (p Pending) wait(ctx context.Context, result any) (err error, ended bool) {
	ctx, cancel := p.e.patient(ctx)
	defer cancel()
	select {
	case r := <-p.reply:
		return r.decode(result), false
	case <-ctx.Done():
		return ctx.Err(), true
	}
}

// Begin sends a request and returns its id and what to wait for.
func (e *Editor) Begin(method string, params any) (id int64, answered Pending, err error) {
	ch := make(chan reply, 1)
	raw, err := json.Marshal(params)
	if err != nil {
		return 0, Pending{}, err
	}
	e.mu.Lock()
	if e.ended != nil {
		e.mu.Unlock()
		return 0, Pending{}, e.ended
	}
	e.next++
	id = e.next
	e.pending[id] = asked{answered: ch, method: method, params: raw, docs: e.snapshotLocked()}
	e.mu.Unlock()
	return id, Pending{e, ch}, e.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method}, params)
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
	ctx, cancel := e.patient(ctx)
	defer cancel()
	select {
	case <-e.exited:
		return e.exitCode, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
