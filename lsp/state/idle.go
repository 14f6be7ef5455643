package state

import (
	"context"
	"sync"
	"time"

	"go.lsp.dev/protocol"
)

// IdleAfter is the time without activity in the editor after which the server maintains the tree by itself. It is
// longer than reading a page or a colleague's answer, and shorter than a break.
const IdleAfter = 5 * time.Minute

// byThemselves holds the requests that clients send without a person's action: after the server reported a change,
// after a file was read again from disk, or all the time.
var byThemselves = map[string]bool{
	protocol.MethodTextDocumentDiagnostic: true, protocol.MethodWorkspaceDiagnostic: true,
	protocol.MethodTextDocumentSemanticTokensFull:  true,
	protocol.MethodTextDocumentSemanticTokensRange: true,
	protocol.MethodTextDocumentInlayHint:           true,
	protocol.MethodTextDocumentCodeLens:            true,
	protocol.MethodTextDocumentCodeAction:          true, protocol.MethodTextDocumentDocumentLink: true,
	protocol.MethodTextDocumentFoldingRange:     true,
	protocol.MethodTextDocumentDocumentSymbol:   true,
	protocol.MethodWorkspaceTextDocumentContent: true,
	protocol.MethodCancelRequest:                true, protocol.MethodInitialize: true, protocol.MethodInitialized: true,
	protocol.MethodShutdown: true, protocol.MethodExit: true,
	protocol.MethodTextDocumentDidChange: true, protocol.MethodWorkspaceExecuteCommand: true, // see Idleness.edited and executeCommand
}

// Idleness notices when the user is inactive, and starts a dream then. One timer runs from the first sign of
// activity until there was none for [IdleAfter]; during inactivity nothing runs.
type Idleness struct {
	s   *Session
	run func(context.Context) // the dream in all folders, one after the other
	ran func()                // called when it has ended; may be nil

	mu    sync.Mutex // guards the fields below
	last  time.Time  // time of the last activity
	timed bool       // the timer is running
	dream *idleDream // the running dream, or nil
}

// idleDream is a dream that was not requested.
type idleDream struct {
	cancel context.CancelFunc
	ended  chan struct{}
}

// Seen records a message of the client, or a command, as activity, if it shows any. Activity ends the dream. A
// change of files on disk may come from a person or an agent at work, but also from the dream itself, so it does
// not end the dream.
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

// Edited records a change of a document as activity, unless the editor only reloaded an entry that a dream
// changed.
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

// Stop ends a dream that was not requested, and waits for its end, so that a requested one can take its place.
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

// NewIdleness returns an Idleness that calls run after inactivity for [IdleAfter], and then ran, if it is not nil.
func NewIdleness(s *Session, run func(context.Context), ran func()) *Idleness {
	return &Idleness{s: s, run: run, ran: ran}
}
