package state

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
)

// StatusMethod is a notification of how the server is, for clients that announce
// {"brv": {"status": true}} in their experimental capabilities. It comes when something
// of it changes, while that goes on at most once a second.
const StatusMethod = "brv/didChangeStatus"

// Status are its parameters.
type Status struct {
	Kind    statusKind          `json:"kind"`
	Busy    bool                `json:"busy"`              // something long is under way
	Message string              `json:"message,omitempty"` // what that is, or why kind is not normal
	Indexed int                 `json:"indexed"`           // entries of all folders
	Stale   int                 `json:"stale"`             // of them those that are known not to fit the code any more
	Model   provider.ModelState `json:"model"`             // of the first folder whose settings name one
}

// statusKind says whether the server can do what it is for.
type statusKind string

// The kinds of status.
const (
	statusNormal   statusKind = "normal"
	statusLimited  statusKind = "limited"  // a folder is not trusted, or could not be opened
	statusInactive statusKind = "inactive" // no folder has a context tree
)

// busy lists the long work under way, and the state of it that the client was told last.
type busy struct {
	started atomic.Bool // the client may be told something

	mu       sync.Mutex // guards the fields below
	works    int
	title    string // of the work that began last
	reported Status
	once     bool // something was told
}

// Start has the client be told something from now on.
func (r *Refresher) Start() {
	r.status.started.Store(true)
	r.Want(RefreshStatus)
}

// modelOff is a model that settings do not name.
const modelOff = "off"

// Work counts work that begins (1) or ends (-1).
func (r *Refresher) Work(step int, title string) {
	r.status.mu.Lock()
	r.status.works += step
	if title != "" {
		r.status.title = title
	}
	r.status.mu.Unlock()
	r.Want(RefreshStatus)
}

// now is how the server is, and whether a folder is still being opened.
func (r *Refresher) now() (now Status, opening bool) {
	now = Status{Kind: statusInactive, Message: "no folder has a context tree", Model: provider.ModelState{Provider: modelOff}}
	limited := ""
	for _, f := range r.s.Folders.All() {
		ws := f.Current()
		if ws == nil {
			opening = opening || f.opening()
			continue
		}
		if ws.HasTree() {
			now.Kind, now.Message = statusNormal, ""
		} else if err := ws.NoTree(); err != workspace.ErrNoTree { // a link
			limited = err.Error()
		}
		if now.Model.Provider == modelOff {
			now.Model = provider.StateOf(ws)
		}
		entries, stale := drift.Counts(ws)
		now.Indexed += entries
		now.Stale += stale
		if trusted, why := ws.Trusted(); !trusted && ws.HasTree() {
			limited = "not trusted, so git history is not used"
			if why != "" {
				limited += " (" + why + ")"
			}
		}
	}
	if limited != "" {
		now.Kind, now.Message = statusLimited, limited
	}
	r.status.mu.Lock()
	defer r.status.mu.Unlock()
	if r.status.works > 0 {
		now.Busy, now.Message = true, r.status.title
	}
	return now, opening
}

// tellStatus tells the client, if there is news.
func (r *Refresher) tellStatus(ctx context.Context) error {
	if !r.status.started.Load() {
		return nil
	}
	now, opening := r.now()
	if opening {
		return nil // it is told when the folders are open
	}
	r.status.mu.Lock()
	news := !r.status.once || r.status.reported != now
	r.status.reported, r.status.once = now, true
	r.status.mu.Unlock()
	if !news {
		return nil
	}
	return r.s.Client.Notify(ctx, StatusMethod, now)
}

// Scanning shows the reading of a folder's code and context tree, which may go on side
// by side.
func (r *Refresher) Scanning() func(workspace.Progress) {
	var mu sync.Mutex
	shown := map[string]*client.Progress{} // by title
	return func(w workspace.Progress) {
		mu.Lock()
		defer mu.Unlock()
		p := shown[w.Title]
		if w.End {
			if p != nil {
				p.End()
				r.Work(-1, "")
			}
			delete(shown, w.Title)
			return
		}
		if p == nil {
			p = r.s.Client.StartProgress(w.Title, nil, nil)
			shown[w.Title] = p
			r.Work(1, w.Title)
		}
		p.Report(w.Done, w.Total)
	}
}
