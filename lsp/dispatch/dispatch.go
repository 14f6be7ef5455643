// Package dispatch runs the messages of a client: their order, cancellation, failures and panics, and the
// table of methods made from functions over their parameters. It knows only the methods of the session
// itself.
//
// [Dispatcher] holds its lock only to look calls up, and no other lock meanwhile; an answer is sent without a
// lock.
package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"math"
	"runtime/debug"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/markup"
	"github.com/brv-lsp/brv-lsp/lsp/wire"
)

// maxInFlight bounds the calls that run at once. An editor has a handful running; further calls are refused
// instead of being served ever more slowly.
const maxInFlight = 256

// errCancelled answers a call that was cancelled. The protocol library's own error has a code of JSON-RPC.
var errCancelled = jsonrpc2.NewError(protocol.CodeRequestCancelled, "cancelled")

// Method is one entry of the method table of a server S.
//
// A notification has Note: it runs on the read loop, in wire order, and so must
// be quick. A call has Call: it runs on the read loop too, decodes the
// parameters and takes the state that the answer is about, and returns the work
// that is then done off the loop. That way an answer is about exactly the text
// the client had sent before it asked, and no answer holds up the next message.
type Method[S any] struct {
	Note   func(S, jsonrpc2.RawMessage) error
	Call   func(S, jsonrpc2.RawMessage) (Work, error)
	inline bool // the work is done on the read loop as well: initialize, shutdown
}

// Work is the part of a call that runs concurrently with everything else. A cancelled call is answered at
// once and its work abandoned, unless it called [Stay].
type Work func(context.Context) (any, error)

// Dispatcher puts LSP's rules about order, cancellation and failure between
// [jsonrpc2.Conn] and the method table. The stock helpers of the library are not
// used: they reorder notifications, crash when a context derived from a pooled
// request is cancelled, and end the session on a panic or on any unknown
// notification.
type Dispatcher[S any] struct {
	server  S
	client  *client.Client
	quit    func() // ends the session
	methods map[string]Method[S]
	log     *slog.Logger
	stage   stage // read loop only

	mu    sync.Mutex // guards calls
	calls map[jsonrpc2.ID]*inFlight
}

// stage is where the session stands between initialize and exit.
type stage int

const (
	fresh stage = iota
	running
	stopped // shutdown was answered
)

// inFlight is a call under way.
type inFlight struct {
	cancel context.CancelFunc

	mu    sync.Mutex // guards stays and alone
	stays bool       // the answer waits for the work to end; see stay
	alone bool       // the call was answered, its work was not done
}

// leave allows a cancelled call to be answered before its work has ended, unless the work called Stay.
func (c *inFlight) leave() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.alone = !c.stays
	return c.alone
}

type inFlightKey struct{}

// CancelOf cancels the call that work is done for, as the client does; nil if it is for none.
func CancelOf(ctx context.Context) context.CancelFunc {
	if c, ok := ctx.Value(inFlightKey{}).(*inFlight); ok {
		return c.cancel
	}
	return nil
}

// Stay is called by work before it changes something: from then on a cancelled call is answered when its work
// has ended, with its result. It fails if the call was answered already. Work that only reads may be
// abandoned at any time.
func Stay(ctx context.Context) error {
	if c, ok := ctx.Value(inFlightKey{}).(*inFlight); ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.stays = !c.alone; c.alone {
			return context.Canceled
		}
	}
	return nil
}

// New dispatches the messages of a client to the methods of a server; quit ends the session.
func New[S any](server S, c *client.Client, quit func(), methods map[string]Method[S]) *Dispatcher[S] {
	return &Dispatcher[S]{
		server: server, client: c, quit: quit, methods: methods, log: c.Log,
		calls: map[jsonrpc2.ID]*inFlight{},
	}
}

// Running reports whether initialize was answered and shutdown was not; for the read loop.
func (d *Dispatcher[S]) Running() bool { return d.stage == running }

// Handle is the [jsonrpc2.Handler] of the session.
func (d *Dispatcher[S]) Handle(rctx context.Context, req *jsonrpc2.Request) (any, error) {
	if !req.IsCall() {
		d.notification(req)
		return nil, nil // an error here would end the session
	}
	return d.request(rctx, req)
}

// notification runs one notification to its end, on the read loop.
func (d *Dispatcher[S]) notification(req *jsonrpc2.Request) {
	name := strings.Clone(req.Method())
	defer func() {
		if r := recover(); r != nil {
			d.log.Error("panic in a notification", "method", name, "panic", r, "stack", string(debug.Stack()))
		}
	}()
	switch {
	case name == protocol.MethodCancelRequest:
		d.cancel(req.Params())
		return
	case name == protocol.MethodExit:
		d.quit()
		return
	case d.stage != running:
		d.log.Debug("notification outside a session", "method", name)
		return
	}
	m, ok := d.methods[name]
	if !ok || m.Note == nil {
		d.log.Debug("unknown notification", "method", name)
		return
	}
	if err := m.Note(d.server, wire.Params(req)); err != nil {
		d.log.Warn("notification", "method", name, "err", err)
	}
}

// request runs one call: its first part on the read loop, the rest concurrently.
func (d *Dispatcher[S]) request(rctx context.Context, req *jsonrpc2.Request) (result any, err error) {
	name := strings.Clone(req.Method())
	defer func() { err = inertError(err) }()
	m, err := d.admit(name)
	if err != nil {
		return nil, err
	}
	do, err := unharmed(d, name, func() (Work, error) { return m.Call(d.server, wire.Params(req)) })
	if err != nil {
		return nil, err
	}
	// The request's own context is pooled and must not be derived from.
	ctx, cancel := context.WithCancel(jsonrpc2.DetachContext(rctx))
	defer cancel()
	if m.inline {
		return d.inline(ctx, name, do)
	}
	defer context.AfterFunc(d.client.Ctx, cancel)()
	entry := &inFlight{cancel: cancel}
	if !d.enter(req.ID(), entry) {
		return nil, jsonrpc2.Errorf(wire.CodeRequestFailed, "%d requests are running; try again later", maxInFlight)
	}
	return d.runAsync(rctx, context.WithValue(ctx, inFlightKey{}, entry), entry, req.ID(), name, do)
}

// runAsync does the work of a call off the read loop, and answers when it is done, or at once when it is
// cancelled, even if the work is slow to notice that.
func (d *Dispatcher[S]) runAsync(rctx, ctx context.Context, entry *inFlight, id jsonrpc2.ID, name string, do Work) (any, error) {
	type outcome struct {
		result any
		err    error
	}
	done := make(chan outcome, 1)
	if !d.client.Background(func() {
		defer d.leave(id, entry)
		result, err := unharmed(d, name, func() (any, error) { return do(ctx) })
		done <- outcome{result, err}
	}) {
		return nil, errCancelled
	}
	jsonrpc2.Async(rctx)
	select {
	case o := <-done:
		return o.result, d.wireError(ctx, name, o.err)
	case <-ctx.Done():
		if entry.leave() {
			return nil, errCancelled
		}
		o := <-done
		return o.result, d.wireError(ctx, name, o.err)
	}
}

// unharmed runs one part of a call and turns its panic into an error.
func unharmed[S, T any](d *Dispatcher[S], name string, part func() (T, error)) (result T, err error) {
	defer func() {
		if r := recover(); r != nil {
			d.log.Error("panic in a request", "method", name, "panic", r, "stack", string(debug.Stack()))
			var none T
			result, err = none, jsonrpc2.Errorf(jsonrpc2.InternalError, "internal error in %s", name)
		}
	}()
	return part()
}

// admit looks the method up and checks that it is allowed at the session's stage.
func (d *Dispatcher[S]) admit(name string) (Method[S], error) {
	switch {
	case d.stage == stopped:
		return Method[S]{}, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "server was shut down")
	case name == protocol.MethodInitialize && d.stage != fresh:
		return Method[S]{}, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "server is already initialized")
	case name != protocol.MethodInitialize && d.stage == fresh:
		return Method[S]{}, jsonrpc2.NewError(jsonrpc2.ServerNotInitialized, "server is not initialized")
	}
	m, ok := d.methods[name]
	if !ok || m.Call == nil {
		return Method[S]{}, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "method %s is not supported", name)
	}
	return m, nil
}

// inline finishes initialize and shutdown on the read loop and moves the stage.
func (d *Dispatcher[S]) inline(ctx context.Context, name string, do Work) (any, error) {
	result, err := unharmed(d, name, func() (any, error) { return do(ctx) })
	if err != nil {
		return nil, err
	}
	switch name {
	case protocol.MethodInitialize:
		d.stage = running
	case protocol.MethodShutdown:
		d.stage = stopped
	}
	return result, nil
}

// wireError converts an error to the client's error response.
func (d *Dispatcher[S]) wireError(ctx context.Context, name string, err error) error {
	var failure *jsonrpc2.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return errCancelled
	case errors.As(err, &failure):
		return failure
	}
	text := secrets.Redact(sanitize.OneLine(err.Error()))
	d.log.Warn("request failed", "method", name, "err", text)
	return jsonrpc2.NewError(wire.CodeRequestFailed, text)
}

// inertError is an error whose message is safe to show: editors show the errors of commands.
func inertError(err error) error {
	wire, ok := err.(*jsonrpc2.Error)
	if !ok {
		return err
	}
	return &jsonrpc2.Error{Code: wire.Code, Message: markup.Inert(sanitize.OneLine(wire.Message)), Data: wire.Data}
}

func (d *Dispatcher[S]) enter(id jsonrpc2.ID, c *inFlight) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.calls) >= maxInFlight {
		return false
	}
	d.calls[id] = c
	return true
}

func (d *Dispatcher[S]) leave(id jsonrpc2.ID, c *inFlight) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.calls[id] == c { // a client may reuse an id too early
		delete(d.calls, id)
	}
}

// cancel serves $/cancelRequest. An id of an unexpected form, or one that is not running, is ignored.
func (d *Dispatcher[S]) cancel(raw jsonrpc2.RawMessage) {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(raw, &p) != nil {
		return
	}
	id, ok := requestID(p.ID)
	if !ok {
		return
	}
	d.mu.Lock()
	c := d.calls[id]
	d.mu.Unlock()
	if c != nil {
		c.cancel()
	}
}

// requestID reads the id of a cancellation; 3.0 names the request 3.
func requestID(raw json.RawMessage) (jsonrpc2.ID, bool) {
	if string(raw) == "null" {
		return jsonrpc2.ID{}, false
	}
	var n int64
	if json.Unmarshal(raw, &n) == nil {
		return jsonrpc2.NewNumberID(n), true
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return jsonrpc2.NewStringID(text), true
	}
	var f float64
	if json.Unmarshal(raw, &f) == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return jsonrpc2.NewNumberID(int64(f)), true
	}
	return jsonrpc2.ID{}, false
}

// Answer is finished work.
func Answer(result any) Work {
	return func(context.Context) (any, error) { return result, nil }
}

// Inline marks a call whose work is done on the read loop.
func Inline[S any](m Method[S]) Method[S] {
	m.inline = true
	return m
}

// Lenient makes initialize's table entry. It drops null parameters before they are decoded, and requires
// none: some clients send null for missing parameters, even where the protocol does not allow it.
func Lenient[S, P any](f func(S, *P) (Work, error)) Method[S] {
	return Method[S]{Call: func(s S, raw jsonrpc2.RawMessage) (Work, error) {
		var params map[string]json.RawMessage
		if json.Unmarshal(raw, &params) == nil {
			maps.DeleteFunc(params, func(_ string, v json.RawMessage) bool { return string(v) == "null" })
			if given, err := json.Marshal(params); err == nil {
				raw = given
			}
		}
		var p P
		if err := wire.Decode(raw, &p); err != nil {
			return nil, err
		}
		return f(s, &p)
	}}
}

// Noted makes a notification's table entry from a function over its parameters.
func Noted[S, P any](f func(S, *P) error) Method[S] {
	return Method[S]{Note: func(s S, raw jsonrpc2.RawMessage) error {
		var p P
		if err := wire.Decode(raw, &p); err != nil {
			return err
		}
		return f(s, &p)
	}}
}

// Called makes a call's table entry from a function over its parameters, which
// runs on the read loop and returns the work.
func Called[S, P any](f func(S, *P) (Work, error)) Method[S] {
	return Method[S]{Call: func(s S, raw jsonrpc2.RawMessage) (Work, error) {
		var p P
		if err := wire.DecodeRequired(raw, &p); err != nil {
			return nil, err
		}
		return f(s, &p)
	}}
}
