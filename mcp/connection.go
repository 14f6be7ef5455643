package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// codeCancelled is the code of a call that the client called off, where neither JSON-RPC nor
// this protocol has one: that of the Language Server Protocol, RequestCancelled.
const codeCancelled = -32800

// connection is the SDK's, but for answers: they can be written, their errors have a code, and
// those of a batch go out together.
type connection struct {
	sdk.Connection
	wire *wire
}

// Connect implements [sdk.Transport]. Lines are bounded by [wire.line].
func (w *wire) Connect(ctx context.Context) (sdk.Connection, error) {
	inner, err := (&sdk.IOTransport{Reader: w, Writer: w, MaxLineLength: -1}).Connect(ctx)
	return connection{inner, w}, err
}

// Write sends a message. What the SDK refuses before a handler sees it was wrong as a request.
func (c connection) Write(ctx context.Context, m jsonrpc.Message) error {
	answer, ok := m.(*jsonrpc.Response)
	if !ok {
		c.wire.ask(m.(*jsonrpc.Request))
		return c.Connection.Write(ctx, m)
	}
	if answer.Error != nil {
		answer = &jsonrpc.Response{ID: answer.ID, Error: coded(answer.Error, jsonrpc.CodeInvalidRequest)}
	}
	call, known := c.wire.take(answer.ID)
	if known && !call.lasting {
		defer c.wire.written()
	}
	b := call.batch
	if b == nil {
		return c.Connection.Write(ctx, answer)
	}
	data, err := jsonrpc.EncodeMessage(answer)
	if err != nil {
		return err
	}
	if all := c.wire.collect(b, data); all != nil {
		_, err = c.wire.Write(append(all, '\n'))
	}
	return err
}

// ask remembers a call of the server's own.
func (w *wire) ask(r *jsonrpc.Request) {
	if !r.IsCall() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked[r.ID] = true
	select {
	case w.news <- struct{}{}:
	default:
	}
}

// take forgets a call, whose id may be used again.
func (w *wire) take(id jsonrpc.ID) (call arrived, known bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	call, known = w.calls[id]
	delete(w.calls, id)
	return call, known
}

// written says that an answer went out.
func (w *wire) written() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.owed--; w.owed == 0 && w.ended {
		close(w.idle)
	}
}

// collect adds an answer to those of a batch, and returns them all behind the last.
func (w *wire) collect(b *batch, answer json.RawMessage) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	b.answers = append(b.answers, answer)
	if b.left--; b.left > 0 {
		return nil
	}
	all, _ := json.Marshal(b.answers) // JSON already
	return all
}

// coded is an error as it can be sent: with a code, by default the one given, with a text that
// is bounded and shows no hidden characters, and with data only if that is JSON. Some of the
// SDK's have none of these.
func coded(err error, otherwise int64) *jsonrpc.Error {
	out := &jsonrpc.Error{Code: otherwise, Message: brief(err)}
	var known *jsonrpc.Error
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &known) && known.Code != 0:
		out.Code = known.Code
		if json.Valid(known.Data) {
			out.Data = known.Data
		}
	case errors.Is(err, context.Canceled):
		out.Code = codeCancelled
	case errors.As(err, &mistyped):
		out.Code = jsonrpc.CodeInvalidParams
	}
	return out
}
