package lsp

import (
	"context"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/workspace"
)

// idleAfter is how long nobody must do anything in the editor before the server maintains the
// tree by itself: longer than it takes to read a page or an answer of a colleague, shorter than a
// break.
const idleAfter = 5 * time.Minute

// byThemselves are what clients ask without anybody doing anything: when the server says that
// something changed, when a file was read again from disk, or all the time.
var byThemselves = map[string]bool{
	protocol.MethodTextDocumentDiagnostic: true, protocol.MethodWorkspaceDiagnostic: true,
	protocol.MethodTextDocumentSemanticTokensFull: true, protocol.MethodTextDocumentSemanticTokensFullDelta: true, protocol.MethodTextDocumentSemanticTokensRange: true,
	protocol.MethodTextDocumentInlayHint: true, protocol.MethodInlayHintResolve: true,
	protocol.MethodTextDocumentCodeLens: true, protocol.MethodCodeLensResolve: true,
	protocol.MethodTextDocumentCodeAction: true, protocol.MethodTextDocumentDocumentLink: true, protocol.MethodTextDocumentFoldingRange: true,
	protocol.MethodTextDocumentDocumentSymbol: true, protocol.MethodTextDocumentDocumentHighlight: true, protocol.MethodWorkspaceTextDocumentContent: true,
	protocol.MethodCancelRequest: true, protocol.MethodInitialize: true, protocol.MethodInitialized: true, protocol.MethodShutdown: true, protocol.MethodExit: true,
	protocol.MethodTextDocumentDidChange: true, protocol.MethodWorkspaceExecuteCommand: true, // see idleness.edited and executeCommand
}

// idleness tells when nobody does anything, and has the folders dream then. One timer runs from
// the first sign of somebody until nobody was there for [idleAfter]; while nobody is there,
// nothing runs.
type idleness struct {
	s *server

	mu    sync.Mutex // guards the fields below
	last  time.Time  // the last sign of somebody
	timed bool       // the timer runs
	dream *idleDream // under way; nil: none
}

// idleDream are the dreams of all folders, one after the other.
type idleDream struct {
	cancel context.CancelFunc
	ended  chan struct{}
}

// seen takes a message of the client, or a command, as a sign of somebody, if it is one. Whoever comes back ends
// the dream. That files changed on disk is a sign of a person or an agent at work, but also what
// follows from a dream: it ends none.
func (i *idleness) seen(method string) {
	if byThemselves[method] || polled(method) || i == nil { // nil: a part of a session, in a test
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.last = i.s.opts.Now()
	if i.dream != nil && method != protocol.MethodWorkspaceDidChangeWatchedFiles {
		i.dream.cancel()
	}
	if !i.timed {
		i.timed = true
		i.s.opts.After(idleAfter, i.look)
	}
}

// edited takes a change of a document as a sign, unless the editor did no more than read an entry
// again that a dream changed.
func (i *idleness) edited(d *document) {
	if i == nil {
		return
	}
	i.mu.Lock()
	dreaming := i.dream != nil
	i.mu.Unlock()
	if dreaming && d.folder != nil {
		if ws := d.folder.current(); ws != nil && ws.IsSavedEntry(d.path) {
			return
		}
	}
	i.seen("edited")
}

// look is what the timer does.
func (i *idleness) look() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.s.ctx.Err() != nil {
		return
	}
	if rest := idleAfter - i.s.opts.Now().Sub(i.last); rest > 0 {
		i.s.opts.After(rest, i.look)
		return
	}
	i.timed = false
	if i.dream != nil {
		return
	}
	ctx, cancel := context.WithCancel(i.s.ctx)
	d := &idleDream{cancel, make(chan struct{})}
	i.dream = d
	i.s.spawn("dream", func() error {
		defer func() {
			cancel()
			i.mu.Lock()
			i.dream = nil
			i.mu.Unlock()
			close(d.ended)
			if i.s.opts.idled != nil {
				i.s.opts.idled()
			}
		}()
		for _, f := range i.s.allFolders() {
			i.s.dreamIdle(ctx, f)
		}
		return nil
	})
}

// stop ends the dream that nobody asked for, and waits for its end: one that somebody asks for
// takes its place.
func (i *idleness) stop(ctx context.Context) {
	i.mu.Lock()
	d := i.dream
	i.mu.Unlock()
	if d == nil {
		return
	}
	d.cancel()
	select {
	case <-d.ended:
	case <-ctx.Done():
	}
}

// dreamIdle has a folder dream, if the user's settings and the user's trust allow that it does so
// by itself, and the gates.
func (s *server) dreamIdle(ctx context.Context, f *folder) {
	now, ws := f.settings.Load(), f.current()
	if now == nil || !now.Dream.Auto || ws == nil || !ws.HasTree() || ctx.Err() != nil {
		return
	}
	if trusted, _ := ws.Trusted(); !trusted {
		return
	}
	const title = "Maintaining the context tree"
	s.setBusy(1, title)
	defer s.setBusy(-1, "")
	p := s.startProgress(title, nil, nil)
	defer p.end()
	r, err := ws.Dream(workspace.WatchDream(ctx, workspace.DreamWatch{Progress: p.dreaming}), ws.View(), workspace.DreamRequest{Trigger: workspace.DreamIdle})
	switch {
	case err != nil:
		s.log.Warn("dream", "folder", f.spelled, "err", err)
	case r.Skipped != nil:
		s.log.Debug("dream", "folder", f.spelled, "skipped", r.Skipped.Reason)
	default:
		s.log.Info("dream", "folder", f.spelled, "id", r.ID, "status", r.Outcome)
		s.diagnostics.diskChanged()
		if len(r.Steps) > 0 {
			sc := &scene{server: s, folder: f, ws: ws}
			sc.showDream(s.ctx, r)
		}
	}
}
