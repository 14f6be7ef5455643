package lsp

import (
	"context"
	"sync/atomic"

	"go.lsp.dev/jsonrpc2"

	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/config"
	"github.com/brv-lsp/brv-lsp/lsp/diagnostics"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/refactor"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// server answers one session.
type server struct {
	*state.Session
	opts Options
	quit func() // ends the session

	wasShutDown atomic.Bool
	config      *config.Config
	answers     answers
	focus       atomic.Pointer[focus] // nil: not known
	idle        *state.Idleness
	diagnostics *diagnostics.Diagnostics
	tokens      tokenResults
	renamed     atomic.Pointer[refactor.Change] // the last rename that was planned for the client
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

// release ends everything that the session started.
func (s *server) release() {
	s.Client.End()
	for _, f := range s.Folders.All() {
		f.Close(s.Client.Log)
	}
	s.Client.Wait()
}

// releaseWithin ends everything that the session started, as far as it ends before ctx does.
func (s *server) releaseWithin(ctx context.Context) {
	s.Client.Stop()
	released := make(chan struct{})
	go func() {
		defer close(released)
		s.release()
	}()
	select {
	case <-released:
	case <-ctx.Done():
		s.opts.Log.Debug("a search index is still being built") // one batch cannot be interrupted
	}
}
