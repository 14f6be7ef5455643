package state

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// The pause behind a refresh, each of which makes the client ask again about all that it shows: short behind the
// first, so that what a folder is found to hold is shown at once; doubled behind the next; short again after a rest.
const (
	leastRefreshPause = 100 * time.Millisecond
	mostRefreshPause  = time.Second
)

// Refreshes is a set of what the client may be asked to ask for again. Folding is not
// among them: it depends on the document alone.
type Refreshes int

// What the client can be asked to ask for again.
const (
	RefreshDiagnostics Refreshes = 1 << iota
	RefreshLenses
	RefreshInlays
	refreshTokens
	refreshContent
	RefreshStatus // not asked for but told

	// What shows other entries or the code besides the document that it is shown in.
	RefreshViews = RefreshInlays | refreshTokens | refreshContent | RefreshStatus
)

// maxGiven bounds the documents of our scheme that are remembered. Most clients do not
// tell of those that are closed.
const maxGiven = 32

// Refresher asks the client to ask again, once a second at most while there is something all the time.
type Refresher struct {
	s *Session

	mu     sync.Mutex // guards the fields below
	wanted Refreshes
	busy   bool          // one is under way, or the pause behind it
	pause  time.Duration // behind the last
	sent   int
	given  []uri.URI // documents of our scheme that the client was given, the last last

	status busy
}

// Want asks for a refresh of what the client can refresh: at once, or after the pause
// behind the last.
func (r *Refresher) Want(what Refreshes) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wanted |= what & r.able()
	r.startLocked()
}

func (r *Refresher) startLocked() {
	if r.busy || r.wanted == 0 {
		return
	}
	r.busy = true
	what := r.wanted
	r.wanted = 0
	r.sent++
	r.pause = min(max(2*r.pause, leastRefreshPause), mostRefreshPause)
	pause := r.pause
	r.s.Client.Spawn("refresh", func() error {
		err := r.send(what)
		r.s.Client.After(pause, r.rested)
		return err
	})
}

// rested ends the pause.
func (r *Refresher) rested() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.busy = false
	r.startLocked()
	if sent := r.sent; !r.busy {
		r.s.Client.After(mostRefreshPause, func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			if r.sent == sent {
				r.pause = 0
			}
		})
	}
}

// able holds the refreshes that the client supports.
func (r *Refresher) able() (what Refreshes) {
	c := &r.s.Client.Features
	for _, f := range []struct {
		able bool
		what Refreshes
	}{
		{c.RefreshDiagnostics, RefreshDiagnostics}, {c.RefreshLenses, RefreshLenses}, {c.RefreshInlays, RefreshInlays},
		{c.RefreshTokens, refreshTokens}, {c.Content, refreshContent}, {c.Status, RefreshStatus},
	} {
		if f.able {
			what |= f.what
		}
	}
	return what
}

// send asks the client; it waits for each answer.
func (r *Refresher) send(what Refreshes) (err error) {
	ctx, conn := r.s.Client.Ctx, r.s.Client.Conn
	if what&RefreshDiagnostics != 0 {
		err = errors.Join(err, conn.DiagnosticRefresh(ctx))
	}
	if what&RefreshLenses != 0 {
		err = errors.Join(err, conn.CodeLensRefresh(ctx))
	}
	if what&RefreshInlays != 0 {
		err = errors.Join(err, conn.InlayHintRefresh(ctx))
	}
	if what&refreshTokens != 0 {
		err = errors.Join(err, conn.SemanticTokensRefresh(ctx))
	}
	if what&refreshContent != 0 {
		for _, u := range r.documents() {
			err = errors.Join(err, conn.TextDocumentContentRefresh(ctx, &protocol.TextDocumentContentRefreshParams{URI: u}))
		}
	}
	if what&RefreshStatus != 0 {
		err = errors.Join(err, r.tellStatus(ctx))
	}
	return err
}

// Gave notes that the client was given a document of our scheme.
func (r *Refresher) Gave(u uri.URI) {
	r.mu.Lock()
	defer r.mu.Unlock()
	u = uri.URI(strings.Clone(string(u))) // a request's strings are its own
	r.given = append(slices.DeleteFunc(r.given, func(v uri.URI) bool { return v == u }), u)
	if n := len(r.given) - maxGiven; n > 0 {
		r.given = slices.Delete(r.given, 0, n)
	}
}

func (r *Refresher) documents() []uri.URI {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.given)
}
