package lsp

import (
	"context"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/state"
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
	"brv.reviews": true, "brv/review/list": true, "brv.proposed": true, "brv/review/proposed": true, "brv.status": true, "brv/status": true, // a view that follows the reviews
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
	if byThemselves[method] || i == nil { // nil: a part of a session, in a test
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.last = i.s.Client.Now()
	if i.dream != nil && method != protocol.MethodWorkspaceDidChangeWatchedFiles {
		i.dream.cancel()
	}
	if !i.timed {
		i.timed = true
		i.s.Client.After(idleAfter, i.look)
	}
}

// edited takes a change of a document as a sign, unless the editor did no more than read an entry
// again that a dream changed.
func (i *idleness) edited(d *state.Document) {
	if i == nil {
		return
	}
	i.mu.Lock()
	dreaming := i.dream != nil
	i.mu.Unlock()
	if dreaming && d.Folder != nil {
		if ws := d.Folder.Current(); ws != nil && ws.IsSavedEntry(d.Path) {
			return
		}
	}
	i.seen("edited")
}

// look is what the timer does.
func (i *idleness) look() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.s.Client.Ctx.Err() != nil {
		return
	}
	if rest := idleAfter - i.s.Client.Now().Sub(i.last); rest > 0 {
		i.s.Client.After(rest, i.look)
		return
	}
	i.timed = false
	if i.dream != nil {
		return
	}
	ctx, cancel := context.WithCancel(i.s.Client.Ctx)
	d := &idleDream{cancel, make(chan struct{})}
	i.dream = d
	i.s.Client.Spawn("dream", func() error {
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
		for _, f := range i.s.Folders.All() {
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
func (s *server) dreamIdle(ctx context.Context, f *state.Folder) {
	now, ws := f.Settings.Load(), f.Current()
	if now == nil || !now.Dream.Auto || ws == nil || !ws.HasTree() || ctx.Err() != nil {
		return
	}
	if trusted, _ := ws.Trusted(); !trusted {
		return
	}
	const title = "Maintaining the context tree"
	s.Refresh.Work(1, title)
	defer s.Refresh.Work(-1, "")
	p := s.Client.StartProgress(title, nil, nil)
	defer p.End()
	r, err := ws.Dream(workspace.WatchDream(ctx, workspace.DreamWatch{Progress: dreaming(p)}), ws.View(), workspace.DreamRequest{Trigger: workspace.DreamIdle})
	switch {
	case err != nil:
		s.Client.Log.Warn("dream", "folder", f.Spelled, "err", err)
	case r.Skipped != nil:
		s.Client.Log.Debug("dream", "folder", f.Spelled, "skipped", r.Skipped.Reason)
	default:
		s.Client.Log.Info("dream", "folder", f.Spelled, "id", r.ID, "status", r.Outcome)
		s.commandDone(r)
		if len(r.Steps) > 0 {
			s.sceneOf(f).showDream(s.Client.Ctx, r)
		}
	}
}
