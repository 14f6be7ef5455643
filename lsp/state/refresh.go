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

// The pause after a refresh, since each one makes the client repeat requests for everything that it shows. It is
// short after the first one, so that the content of a folder is shown at once. It doubles after each further one,
// and is short again after a rest.
const (
	leastRefreshPause = 100 * time.Millisecond
	mostRefreshPause  = time.Second
)

// Refreshes is a set of things that the client can be asked to request again. Folding is not among them, since it
// depends only on the document.
type Refreshes int

// The things that the client can be asked to request again.
const (
	RefreshDiagnostics Refreshes = 1 << iota
	RefreshLenses
	RefreshInlays
	refreshTokens
	refreshContent
	RefreshStatus // sent as a notification instead

	// The views that show other entries or code besides their own document.
	RefreshViews = RefreshInlays | refreshTokens | refreshContent | RefreshStatus
)

// maxGiven bounds the remembered documents of our scheme, since most clients do not report when they close one.
const maxGiven = 32

// Refresher asks the client to repeat its requests, at most once a second while changes continue.
type Refresher struct {
	s *Session

	mu     sync.Mutex // guards the fields below
	wanted Refreshes
	busy   bool          // a refresh, or the pause after it, is running
	pause  time.Duration // the last pause
	sent   int
	given  []uri.URI // documents of our scheme that the client received, newest last

	status busy
}

// Want asks for a refresh, as far as the client supports it: at once, or after the present pause.
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

// able returns the refreshes that the client supports.
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

// send asks the client, and waits for each answer.
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

// Gave records that the client received a document of our scheme.
func (r *Refresher) Gave(u uri.URI) {
	r.mu.Lock()
	defer r.mu.Unlock()
	u = uri.URI(strings.Clone(string(u))) // a copy, since the request owns its strings
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
