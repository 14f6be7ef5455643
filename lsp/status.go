package lsp

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/workspace"
)

// statusMethod is a notification of how the server is, for clients that announce
// {"brv": {"status": true}} in their experimental capabilities. It comes when something
// of it changes, at most once a second.
const statusMethod = "brv/didChangeStatus"

// status are its parameters.
type status struct {
	Kind    statusKind           `json:"kind"`
	Busy    bool                 `json:"busy"`              // something long is under way
	Message string               `json:"message,omitempty"` // what that is, or why kind is not normal
	Indexed int                  `json:"indexed"`           // entries of all folders
	Stale   int                  `json:"stale"`             // of them those that are known not to fit the code any more
	Model   workspace.ModelState `json:"model"`             // of the first folder whose settings name one
}

// statusKind says whether the server can do what it is for.
type statusKind string

// The kinds of status.
const (
	statusNormal   statusKind = "normal"
	statusLimited  statusKind = "limited"  // a folder is not trusted, or could not be opened
	statusInactive statusKind = "inactive" // no folder has a context tree
)

// busy is what long work is under way, and what was told of it last.
type busy struct {
	started atomic.Bool // the client may be told something

	mu    sync.Mutex // guards the fields below
	works int
	title string // of the work that began last
	told  status
	once  bool // something was told
}

// modelOff is a model that settings do not name.
const modelOff = "off"

// setBusy counts work that begins (1) or ends (-1).
func (s *server) setBusy(step int, title string) {
	s.busy.mu.Lock()
	s.busy.works += step
	if title != "" {
		s.busy.title = title
	}
	s.busy.mu.Unlock()
	s.refresh.want(refreshStatus)
}

// status is how the server is now.
func (s *server) status() status {
	now := status{Kind: statusInactive, Message: "no folder has a context tree", Model: workspace.ModelState{Provider: modelOff}}
	limited := ""
	for _, f := range s.allFolders() {
		ws := f.current()
		if ws == nil {
			continue
		}
		if ws.HasTree() {
			now.Kind, now.Message = statusNormal, ""
		} else if err := ws.NoTree(); err != workspace.ErrNoTree { // a link
			limited = err.Error()
		}
		if now.Model.Provider == modelOff {
			now.Model = ws.ModelState()
		}
		entries, stale := ws.Counts()
		now.Indexed += entries
		now.Stale += stale
		if trusted, why := ws.Trusted(); !trusted && ws.HasTree() {
			limited = "not trusted: git's history is not read"
			if why != "" {
				limited += " (" + why + ")"
			}
		}
	}
	if limited != "" {
		now.Kind, now.Message = statusLimited, limited
	}
	s.busy.mu.Lock()
	defer s.busy.mu.Unlock()
	if s.busy.works > 0 {
		now.Busy, now.Message = true, s.busy.title
	}
	return now
}

// tellStatus tells the client, if there is news.
func (s *server) tellStatus(ctx context.Context) error {
	if !s.busy.started.Load() {
		return nil
	}
	now := s.status()
	s.busy.mu.Lock()
	news := !s.busy.once || s.busy.told != now
	s.busy.told, s.busy.once = now, true
	s.busy.mu.Unlock()
	if !news {
		return nil
	}
	return s.client.Notify(ctx, statusMethod, now)
}
