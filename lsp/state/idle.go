package state

import (
	"context"
	"sync"
	"time"

	"go.lsp.dev/protocol"
)

// IdleAfter is how long nobody must do anything in the editor before the server maintains the
// tree by itself: longer than it takes to read a page or an answer of a colleague, shorter than a
// break.
const IdleAfter = 5 * time.Minute

// byThemselves are the requests that clients send without a person's doing: when the server says that
// something changed, when a file was read again from disk, or all the time.
var byThemselves = map[string]bool{
	protocol.MethodTextDocumentDiagnostic: true, protocol.MethodWorkspaceDiagnostic: true,
	protocol.MethodTextDocumentSemanticTokensFull:  true,
	protocol.MethodTextDocumentSemanticTokensRange: true,
	protocol.MethodTextDocumentInlayHint:           true,
	protocol.MethodTextDocumentCodeLens:            true, protocol.MethodCodeLensResolve: true,
	protocol.MethodTextDocumentCodeAction: true, protocol.MethodTextDocumentDocumentLink: true,
	protocol.MethodTextDocumentFoldingRange:     true,
	protocol.MethodTextDocumentDocumentSymbol:   true,
	protocol.MethodWorkspaceTextDocumentContent: true,
	protocol.MethodCancelRequest:                true, protocol.MethodInitialize: true, protocol.MethodInitialized: true,
	protocol.MethodShutdown: true, protocol.MethodExit: true,
	protocol.MethodTextDocumentDidChange: true, protocol.MethodWorkspaceExecuteCommand: true, // see Idleness.edited and executeCommand
}

// Idleness tells when nobody does anything, and begins a dream then. One timer runs from
// the first sign of somebody until nobody was there for [IdleAfter]; while nobody is there,
// nothing runs.
type Idleness struct {
	s   *Session
	run func(context.Context) // the dream: of all folders, one after the other
	ran func()                // called when it has ended; nil for nothing

	mu    sync.Mutex // guards the fields below
	last  time.Time  // the last sign of somebody
	timed bool       // the timer runs
	dream *idleDream // under way; nil: none
}

// idleDream is a dream that nobody asked for.
type idleDream struct {
	cancel context.CancelFunc
	ended  chan struct{}
}

// Seen takes a message of the client, or a command, as a sign of somebody, if it is one. Whoever comes back ends
// the dream. That files changed on disk is a sign of a person or an agent at work, but also what
// follows from a dream: it ends none.
func (i *Idleness) Seen(method string) {
	if byThemselves[method] {
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
		i.s.Client.After(IdleAfter, i.look)
	}
}

// Edited takes a change of a document as a sign, unless the editor did no more than read an entry
// again that a dream changed.
func (i *Idleness) Edited(d *Document) {
	i.mu.Lock()
	dreaming := i.dream != nil
	i.mu.Unlock()
	if dreaming && d.Folder != nil {
		if ws := d.Folder.Current(); ws != nil && ws.IsSavedEntry(d.Path) {
			return
		}
	}
	i.Seen("edited")
}

// look runs when the timer fires.
func (i *Idleness) look() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.s.Client.Ctx.Err() != nil {
		return
	}
	if rest := IdleAfter - i.s.Client.Now().Sub(i.last); rest > 0 {
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
			if i.ran != nil {
				i.ran()
			}
		}()
		i.run(ctx)
		return nil
	})
}

// Stop ends the dream that nobody asked for, and waits for its end: one that somebody asks for
// takes its place.
func (i *Idleness) Stop(ctx context.Context) {
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

// NewIdleness has run called when nobody did anything for [IdleAfter], and then ran, if that is not nil.
func NewIdleness(s *Session, run func(context.Context), ran func()) *Idleness {
	return &Idleness{s: s, run: run, ran: ran}
}
