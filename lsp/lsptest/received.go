package lsptest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Message is one request or notification that the server sent.
type Message struct {
	Method  string
	Params  json.RawMessage
	Request bool // it wanted an answer

	// ID is the id of an answer to no pending call. Such are recorded as well, under "error"
	// with the error as parameters, or "result".
	ID json.RawMessage
}

// AnswerFunc answers a request of the server's.
type AnswerFunc func(params json.RawMessage) (any, error)

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
	ctx, cancel := e.patient(ctx)
	defer cancel()
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

// defaultAnswers are the answers of an editor whose user is away.
var defaultAnswers = map[string]AnswerFunc{
	"client/registerCapability":      func(json.RawMessage) (any, error) { return nil, nil },
	"client/unregisterCapability":    func(json.RawMessage) (any, error) { return nil, nil },
	"window/workDoneProgress/create": func(json.RawMessage) (any, error) { return nil, nil },
	"window/showMessageRequest":      func(json.RawMessage) (any, error) { return nil, nil },
	"window/showDocument":            func(json.RawMessage) (any, error) { return map[string]bool{"success": true}, nil },
	"workspace/applyEdit":            func(json.RawMessage) (any, error) { return map[string]bool{"applied": true}, nil },
	"workspace/diagnostic/refresh":   func(json.RawMessage) (any, error) { return nil, nil },
}
