package lsp

import (
	"context"
	"encoding/json"
	"maps"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/uri"
)

// WithCall adds a call to the server: first runs on the read loop, then beside it.
func WithCall(o Options, name string, first func(), then func(context.Context) (any, error)) Options {
	return with(o, name, method{call: func(*server, jsonrpc2.RawMessage) (work, error) {
		if first != nil {
			first()
		}
		return then, nil
	}})
}

// WithNote adds a notification to the server.
func WithNote(o Options, name string, f func() error) Options {
	return with(o, name, method{note: func(*server, jsonrpc2.RawMessage) error { return f() }})
}

// WithVersions reports the version of each didChange as it is applied.
func WithVersions(o Options, seen func(version int32)) Options {
	return with(o, "textDocument/didChange", method{note: func(s *server, raw jsonrpc2.RawMessage) error {
		err := didChange(s, raw)
		for _, d := range s.buffers.all() {
			seen(d.version)
		}
		return err
	}})
}

// WithText adds the call test/text, which answers what the server believes to be
// the text of a document.
func WithText(o Options) Options {
	return with(o, "test/text", method{call: func(s *server, raw jsonrpc2.RawMessage) (work, error) {
		var p struct{ URI string }
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, err
		}
		u, err := uri.Parse(p.URI)
		if err != nil {
			return nil, err
		}
		d := s.buffers.get(u)
		if d == nil {
			return answer(nil), nil
		}
		out, err := json.Marshal(map[string]any{"text": d.text(), "version": d.version, "lost": d.lost, "path": d.path})
		return answer(jsonrpc2.RawMessage(out)), err
	}})
}

func with(o Options, name string, m method) Options {
	o.extra = maps.Clone(o.extra)
	if o.extra == nil {
		o.extra = map[string]method{}
	}
	o.extra[name] = m
	return o
}
