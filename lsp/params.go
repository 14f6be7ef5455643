package lsp

import (
	"encoding/json"
	"maps"

	"go.lsp.dev/jsonrpc2"

	"github.com/brv-lsp/brv-lsp/lsp/wire"
)

// lenient makes initialize's table entry. It drops parameters that are null before they are decoded, and
// needs none: some clients say so what they do not have, also where the protocol knows no null.
func lenient[P any](f func(*server, *P) (work, error)) method {
	return method{call: func(s *server, raw jsonrpc2.RawMessage) (work, error) {
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

// noted makes a notification's table entry from a function over its parameters.
func noted[P any](f func(*server, *P) error) method {
	return method{note: func(s *server, raw jsonrpc2.RawMessage) error {
		var p P
		if err := wire.Decode(raw, &p); err != nil {
			return err
		}
		return f(s, &p)
	}}
}

// called makes a call's table entry from a function over its parameters, which
// runs on the read loop and returns the work.
func called[P any](f func(*server, *P) (work, error)) method {
	return method{call: func(s *server, raw jsonrpc2.RawMessage) (work, error) {
		var p P
		if err := wire.DecodeRequired(raw, &p); err != nil {
			return nil, err
		}
		return f(s, &p)
	}}
}
