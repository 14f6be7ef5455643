package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
	"github.com/brv-lsp/brv-lsp/lsp/state"
)

// WithCall adds a call to the server: first runs on the read loop, then beside it.
func WithCall(o Options, name string, first func(), then func(context.Context) (any, error)) Options {
	return with(o, name, method{Call: func(*server, jsonrpc2.RawMessage) (dispatch.Work, error) {
		if first != nil {
			first()
		}
		return then, nil
	}})
}

// WithNote adds a notification to the server.
func WithNote(o Options, name string, f func() error) Options {
	return with(o, name, method{Note: func(*server, jsonrpc2.RawMessage) error { return f() }})
}

// WithVersions reports the version of each didChange as it is applied.
func WithVersions(o Options, seen func(version int32)) Options {
	return with(o, "textDocument/didChange", method{Note: func(s *server, raw jsonrpc2.RawMessage) error {
		err := didChange(s, raw)
		for _, d := range s.Documents.All() {
			seen(d.Version)
		}
		return err
	}})
}

// WithText adds the call test/text, which answers what the server believes to be
// the text of a document.
func WithText(o Options) Options {
	return with(o, "test/text", method{Call: func(s *server, raw jsonrpc2.RawMessage) (dispatch.Work, error) {
		var p struct{ URI string }
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, err
		}
		u, err := uri.Parse(p.URI)
		if err != nil {
			return nil, err
		}
		d := s.Documents.Get(u)
		if d == nil {
			return dispatch.Answer(nil), nil
		}
		out, err := json.Marshal(map[string]any{"text": d.Text(), "version": d.Version, "lost": d.Desynced, "path": d.Path})
		return dispatch.Answer(jsonrpc2.RawMessage(out)), err
	}})
}

// WithAbout adds a call about a document.
func WithAbout(o Options, name string, do func(context.Context) (any, error)) Options {
	return with(o, name, about(func(ctx context.Context, _ *scene, _ *protocol.DocumentSymbolParams) (any, error) {
		return do(ctx)
	}))
}

// WithStall bounds how long one write may take.
func WithStall(o Options, d time.Duration) Options {
	o.stall = d
	return o
}

// WithDrain bounds how long the end of a session waits for what is under way.
func WithDrain(o Options, d time.Duration) Options {
	o.drain = cmp.Or(o.drain, d)
	return o
}

// Methods lists the names of the server's method table: of the calls, and of the
// notifications.
func Methods() (calls, notes []string) {
	for name, m := range methodTable(nil) {
		if m.Call != nil {
			calls = append(calls, name)
		}
		if m.Note != nil {
			notes = append(notes, name)
		}
	}
	slices.Sort(calls)
	slices.Sort(notes)
	return calls, notes
}

// WithPanics has the methods that sick names panic: on the read loop, or where later is
// true in the work of a call.
func WithPanics(o Options, sick func(name string) (now, later bool)) Options {
	o.wrap = func(name string, m method) method {
		own := m
		if m.Note != nil {
			m.Note = func(s *server, raw jsonrpc2.RawMessage) error {
				if now, _ := sick(name); now {
					panic("note " + name)
				}
				return own.Note(s, raw)
			}
		}
		if m.Call != nil {
			m.Call = func(s *server, raw jsonrpc2.RawMessage) (dispatch.Work, error) {
				now, later := sick(name)
				if now {
					panic("call " + name)
				}
				if later {
					return func(context.Context) (any, error) { panic("work " + name) }, nil
				}
				return own.Call(s, raw)
			}
		}
		return m
	}
	return o
}

// WithSpawned adds the notification test/spawn, which runs f in a goroutine of the
// session's.
func WithSpawned(o Options, f func()) Options {
	return with(o, "test/spawn", method{Note: func(s *server, _ jsonrpc2.RawMessage) error {
		s.Client.Spawn("test", func() error { f(); return nil })
		s.Client.After(0, f)
		return nil
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

// Unhurried makes answers that do not depend on how busy the machine is.
func Unhurried(o Options) Options {
	o.unhurried = true
	return o
}

// Stay is what work calls before it changes something.
func Stay(ctx context.Context) error { return dispatch.Stay(ctx) }

// WithReading has f called before a part of a context tree is read, which waits for it.
func WithReading(o Options, f func()) Options {
	o.reading = f
	return o
}

// WithIdled calls f when the folders of an idle editor were looked after.
func WithIdled(o Options, f func()) Options {
	o.idled = f
	return o
}

// IdleAfter is how long an editor must be idle for that.
const IdleAfter = state.IdleAfter
