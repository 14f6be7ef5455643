package lsp

import (
	"encoding/json"
	"maps"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// params returns the request's parameters; absent ones read as an empty object.
func params(req *jsonrpc2.Request) jsonrpc2.RawMessage {
	if p := req.Params(); len(p) > 0 {
		return p
	}
	return jsonrpc2.RawMessage("{}")
}

// decode reads parameters into v.
func decode(raw jsonrpc2.RawMessage, v any) error {
	if err := protocol.Unmarshal(raw, v); err != nil {
		return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "invalid parameters: %v", err)
	}
	return nil
}

// lenient drops parameters that are null before they are decoded: some clients
// say so what they do not have, also where the protocol knows no null.
func lenient(m method) method {
	call := m.call
	m.call = func(s *server, raw jsonrpc2.RawMessage) (work, error) {
		var params map[string]json.RawMessage
		if json.Unmarshal(raw, &params) == nil {
			maps.DeleteFunc(params, func(_ string, v json.RawMessage) bool { return string(v) == "null" })
			if given, err := json.Marshal(params); err == nil {
				raw = given
			}
		}
		return call(s, raw)
	}
	return m
}

// noted makes a notification's table entry from a function over its parameters.
func noted[P any](f func(*server, *P) error) method {
	return method{note: func(s *server, raw jsonrpc2.RawMessage) error {
		var p P
		if err := decode(raw, &p); err != nil {
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
		if err := decode(raw, &p); err != nil {
			return nil, err
		}
		return f(s, &p)
	}}
}
