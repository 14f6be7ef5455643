package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// connection is the SDK's connection with two changes: every answer can be encoded, and its errors have a code.
type connection struct {
	sdk.Connection
	wire *wire
}

// Connect implements [sdk.Transport]. Lines are bounded by [wire.line].
func (w *wire) Connect(ctx context.Context) (sdk.Connection, error) {
	inner, err := (&sdk.IOTransport{Reader: w, Writer: w, MaxLineLength: -1}).Connect(ctx)
	return connection{inner, w}, err
}

// Write sends a message. If the SDK refused a request before a handler saw it, the request was invalid.
func (c connection) Write(ctx context.Context, m jsonrpc.Message) error {
	answer, ok := m.(*jsonrpc.Response)
	if !ok {
		c.wire.ask(m.(*jsonrpc.Request))
		return c.Connection.Write(ctx, m)
	}
	if answer.Error != nil {
		answer = &jsonrpc.Response{ID: answer.ID, Error: coded(answer.Error, jsonrpc.CodeInvalidRequest)}
	}
	if lasting, known := c.wire.take(answer.ID); known && !lasting {
		defer c.wire.written()
	}
	return c.Connection.Write(ctx, answer)
}

// ask records a call from the server.
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

// take forgets a call, since its id may be used again.
func (w *wire) take(id jsonrpc.ID) (lasting, known bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	lasting, known = w.calls[id]
	delete(w.calls, id)
	return lasting, known
}

// written records that an answer was sent.
func (w *wire) written() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.owed--; w.owed == 0 && w.ended {
		close(w.idle)
	}
}

// coded returns an error in a form that can be sent. It has a code, by default the given one, a bounded text
// without hidden characters, and data only if they are JSON. Some of the SDK's errors lack these.
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
	if wrong := mistypedAs.FindStringSubmatch(err.Error()); wrong != nil {
		kind := strings.TrimRight(wrong[2], "0123456789") // int64
		out.Message = cmp.Or(wrong[1], "params") + ": must be " + cmp.Or(jsonTypes[kind], "an object")
	}
	return out
}

// mistypedAs matches the SDK decoder's message that a value does not fit a Go type. The groups are the key and the
// type.
var mistypedAs = regexp.MustCompile(`(?s)cannot unmarshal .* into Go (?:struct field (?:\S*[.\]])?(\w+)|value) of type (\S+)$`)

// jsonTypes maps Go's types to JSON's names.
var jsonTypes = map[string]string{"string": "a string", "mcp.LoggingLevel": "a string", "bool": "true or false", "int": "a whole number",
	"float": "a number", "[]string": "a list of strings"}
