package mcp

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// works are the methods that compute.
var works = []string{"tools/call", "resources/list", "resources/read"}

// guard stands around every request. No panic crosses it. A method that computes waits
// for a slot; cancelled, it ends at once, and what it computes ends behind it.
func (s *server) guard(inner sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		next := inner
		if call, ok := req.(*sdk.CallToolRequest); ok {
			if err := s.resolve(call); err != nil {
				return nil, err
			}
		}
		if list, ok := req.(*sdk.ListResourcesRequest); ok {
			next = s.listResources(inner, list)
		}
		if !slices.Contains(works, method) {
			return s.recovered(ctx, next, method, req)
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(s.ctx, cancel)() // the end of the server is the end of its requests
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
}

// recovered runs a handler; a panic is an error with a line in the log.
func (s *server) recovered(ctx context.Context, next sdk.MethodHandler, method string, req sdk.Request) (result sdk.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.opts.Log.Error("panic", "method", method, "value", p, "stack", stack())
			result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error in " + method + "; the server's log has more; other requests go on"}
			if method == "tools/call" {
				result, err = failure(fmt.Errorf("internal error; the server's log has more; other calls go on")), nil
			}
		}
	}()
	return next(ctx, method, req)
}
