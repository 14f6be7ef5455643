package dispatch

import (
	"encoding/json"
	"maps"

	"go.lsp.dev/jsonrpc2"

	"github.com/brv-lsp/brv-lsp/lsp/wire"
)

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
