package lsp

import (
	"context"
	"io"

	"go.lsp.dev/jsonrpc2"

	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/config"
	"github.com/brv-lsp/brv-lsp/lsp/diagnostics"
	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/lsp/wire"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// Serve speaks the language server protocol over in and out until the client
// exits, in ends, ctx is cancelled, or the client's process is gone. It returns
// the exit code that the protocol asks for: 0 if the client sent shutdown before
// the end, else 1. All goroutines have ended when it returns, except one that is
// blocked in a Read or Write of an in or out without a Close method, and what
// does not end within [drainWithin]: an editor must not wait for it.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) (exitCode int) {
	o = o.withDefaults()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	stream := wire.Open(in, out, o.Log, o.stall)
	conn := jsonrpc2.NewConn(stream, jsonrpc2.WithCodec(wire.Codec{}))
	s := newServer(ctx, conn, o)
	s.quit = stream.End
	d := dispatch.New(s, s.Client, s.quit, o.table())
	conn.Go(ctx, func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		if d.Running() {
			s.config.Greet() // the answer to initialize was sent before this message was read
			if !polled(req.Method()) {
				s.idle.Seen(req.Method())
			}
		}
		return d.Handle(ctx, req)
	})

	select {
	case <-stream.Ended():
	case <-ctx.Done():
	}
	cancel() // whatever is under way
	within, done := o.draining()
	defer done()
	stream.Shut(within)
	s.releaseWithin(within)
	select {
	case <-conn.Done():
	case <-within.Done():
		o.Log.Debug("a request or a read did not finish in time")
	}
	if s.wasShutDown.Load() {
		return 0
	}
	return 1
}

func newServer(ctx context.Context, conn jsonrpc2.Conn, o Options) *server {
	s := &server{Session: state.New(client.New(ctx, conn, o.Log, o.Now, o.After)), opts: o}
	s.diagnostics = diagnostics.New(s.Session)
	s.config = config.New(s.Session, s.diagnostics, config.Options{
		Workspace: workspace.Options{Worker: o.Worker, Cache: o.Cache, Secret: o.Secret, Unhurried: o.unhurried, Reading: o.reading},
		Dir:       o.Config, Getenv: o.Getenv, Trust: o.Trust,
	})
	s.idle = state.NewIdleness(s.Session, s.dreamIdle, o.idled)
	return s
}
