package lsp

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// refreshPause lies between two refreshes: each makes the client ask again about all
// that it shows.
const refreshPause = time.Second

// refreshes is a set of what the client may be asked to ask for again. Folding is not
// among them: it depends on the document alone.
type refreshes int

const (
	refreshDiagnostics refreshes = 1 << iota
	refreshLenses
	refreshInlays
	refreshTokens
	refreshContent
	refreshStatus // not asked for but told

	// What shows other entries or the code besides the document that it is shown in.
	refreshViews = refreshInlays | refreshTokens | refreshContent | refreshStatus
)

// maxGiven bounds the documents of our scheme that are remembered. Most clients do not
// tell of those that are closed.
const maxGiven = 32

// refresher asks the client to ask again, once a second at most.
type refresher struct {
	s *server

	mu     sync.Mutex // guards the fields below
	wanted refreshes
	busy   bool      // one is under way, or the pause behind it
	given  []uri.URI // documents of our scheme that the client was given, the last last
}

// want asks for a refresh of what the client can refresh: at once, or after the pause
// behind the last.
func (r *refresher) want(what refreshes) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wanted |= what & r.able()
	r.startLocked()
}

func (r *refresher) startLocked() {
	if r.busy || r.wanted == 0 {
		return
	}
	r.busy = true
	what := r.wanted
	r.wanted = 0
	r.s.client.Spawn("refresh", func() error {
		err := r.send(what)
		r.s.client.After(refreshPause, r.rested)
		return err
	})
}

// rested ends the pause.
func (r *refresher) rested() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.busy = false
	r.startLocked()
}

// able is what the client says it can refresh.
func (r *refresher) able() (what refreshes) {
	c := &r.s.client.Features
	for _, f := range []struct {
		able bool
		what refreshes
	}{
		{c.RefreshDiagnostics, refreshDiagnostics}, {c.RefreshLenses, refreshLenses}, {c.RefreshInlays, refreshInlays},
		{c.RefreshTokens, refreshTokens}, {c.Content, refreshContent}, {c.Status, refreshStatus},
	} {
		if f.able {
			what |= f.what
		}
	}
	return what
}

// send asks the client; it waits for each answer.
func (r *refresher) send(what refreshes) (err error) {
	ctx, conn := r.s.client.Ctx, r.s.client.Conn
	if what&refreshDiagnostics != 0 {
		err = errors.Join(err, conn.DiagnosticRefresh(ctx))
	}
	if what&refreshLenses != 0 {
		err = errors.Join(err, conn.CodeLensRefresh(ctx))
	}
	if what&refreshInlays != 0 {
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
	if what&refreshStatus != 0 {
		err = errors.Join(err, r.s.tellStatus(ctx))
	}
	return err
}

// gave notes that the client was given a document of our scheme.
func (r *refresher) gave(u uri.URI) {
	r.mu.Lock()
	defer r.mu.Unlock()
	u = uri.URI(strings.Clone(string(u))) // a request's strings are its own
	r.given = append(slices.DeleteFunc(r.given, func(v uri.URI) bool { return v == u }), u)
	if n := len(r.given) - maxGiven; n > 0 {
		r.given = slices.Delete(r.given, 0, n)
	}
}

func (r *refresher) documents() []uri.URI {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.given)
}
