//lint:file-ignore SA1019 logging levels are deprecated in 2026-07-28; the clients in use speak older protocols and set them

package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// works holds the methods that do long work.
var works = []string{"tools/call", "resources/list", "resources/read"}

// guard wraps every request. It recovers panics, and gives a code to refusals. A method with long work waits for a
// slot. If it is cancelled, the call ends at once, and the work ends in the background.
func (s *server) guard(inner sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		result, err := s.guarded(ctx, s.checked(inner), method, req)
		if err == nil {
			return result, nil
		}
		code := int64(jsonrpc.CodeInternalError)
		if method == "initialize" { // the SDK itself refuses a second one
			code = jsonrpc.CodeInvalidRequest
		}
		return nil, coded(err, code)
	}
}

// checked refuses requests that the SDK would wrongly accept, or would refuse in a way that cannot be sent.
func (s *server) checked(inner sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		var err error
		next := inner
		switch req := req.(type) {
		case *sdk.CallToolRequest:
			err = s.resolve(req)
		case *sdk.ListResourcesRequest:
			next = s.listResources(inner, req)
		case *sdk.ListResourceTemplatesRequest:
			err = firstPage(req.Params != nil && req.Params.Cursor != "")
		case *sdk.ListToolsRequest:
			err = firstPage(req.Params != nil && req.Params.Cursor != "")
		case *sdk.ListPromptsRequest:
			err = firstPage(req.Params != nil && req.Params.Cursor != "")
		case *sdk.ReadResourceRequest:
			err = named(req.Params.URI)
		case *sdk.SubscribeRequest:
			_, err = s.open(ctx, req.Session) // a folder that cannot be read needs no report here
		case *sdk.SubscriptionsListenRequest:
			_, err = s.open(ctx, req.Session)
		case *sdk.ServerRequest[*sdk.SetLoggingLevelParams]:
			err = level(string(req.Params.Level))
		}
		if err != nil {
			return nil, err
		}
		return next(ctx, method, req)
	}
}

// firstPage refuses a cursor for a list that has only one page.
func firstPage(cursor bool) error {
	if cursor {
		return noCursor()
	}
	return nil
}

// levels holds the log levels of RFC 5424, by the protocol's names.
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

func level(name string) error {
	if slices.Contains(levels, name) {
		return nil
	}
	return invalid("level: must be one of " + strings.Join(levels, ", "))
}

// guarded runs a handler. One with long work gets a slot.
func (s *server) guarded(
	ctx context.Context, next sdk.MethodHandler, method string, req sdk.Request,
) (sdk.Result, error) {
	if !slices.Contains(works, method) {
		return s.recovered(ctx, next, method, req)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)() // requests end with the server
	type outcome struct {
		result sdk.Result
		err    error
	}
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	done := make(chan outcome, 1)
	s.work.Go(func() {
		defer func() { <-s.slots }()
		result, err := s.recovered(ctx, next, method, req)
		done <- outcome{result, err}
	})
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// recovered runs a handler. A panic becomes an error and a line in the log.
func (s *server) recovered(ctx context.Context, next sdk.MethodHandler, method string, req sdk.Request) (result sdk.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.opts.Log.Error("panic", "method", method, "value", p, "stack", stack())
			result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error in " + method +
				"; see the server's log. Other requests still work"}
			if method == "tools/call" {
				result, err = failure(fmt.Errorf("internal error; see the server's log. Other calls still work")), nil
			}
		}
	}()
	return next(ctx, method, req)
}
