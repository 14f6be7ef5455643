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

// StatusMethod is a notification of the server's state, for clients that announce {"brv": {"status": true}} in
// their experimental capabilities. It is sent when the state changes, at most once a second.
const StatusMethod = "brv/didChangeStatus"

// Status is the parameter object of `brv/didChangeStatus`.
type Status struct {
	Kind    statusKind          `json:"kind"`
	Busy    bool                `json:"busy"`              // a long task runs
	Message string              `json:"message,omitempty"` // the status in words
	Indexed int                 `json:"indexed"`           // the number of entries in all folders
	Stale   int                 `json:"stale"`             // the number of entries that are known to be stale
	Model   provider.ModelState `json:"model"`             // the model of the first folder whose settings name one
}

// statusKind tells whether the server can do its work.
type statusKind string

// The kinds of status.
const (
	statusNormal   statusKind = "normal"
	statusLimited  statusKind = "limited"  // a folder is not trusted, or could not be opened
	statusInactive statusKind = "inactive" // no folder has a context tree
)

// busy lists the long work that is running, and the state that was last sent to the client.
type busy struct {
	started atomic.Bool // notifications are allowed

	mu       sync.Mutex // guards the fields below
	works    int
	title    string // of the newest work
	reported Status
	once     bool // something was sent
}

// Start allows notifications to the client.
func (r *Refresher) Start() {
	r.status.started.Store(true)
	r.Want(RefreshStatus)
}

// modelOff is the state without a model in the settings.
const modelOff = "off"

// Work counts the beginning (1) or end (-1) of long work.
func (r *Refresher) Work(step int, title string) {
	r.status.mu.Lock()
	r.status.works += step
	if title != "" {
		r.status.title = title
	}
	r.status.mu.Unlock()
	r.Want(RefreshStatus)
}

// now returns the server's state, and whether a folder is still being opened.
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
		} else if err := ws.NoTree(); err != workspace.ErrNoTree { // the tree is a link
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

// tellStatus sends the state to the client if it has changed.
func (r *Refresher) tellStatus(ctx context.Context) error {
	if !r.status.started.Load() {
		return nil
	}
	now, opening := r.now()
	if opening {
		return nil // it is sent when the folders are open
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

// Scanning returns a function that shows the progress of reading a folder's code and context tree, which may
// happen at the same time.
func (r *Refresher) Scanning() func(workspace.Progress) {
	var mu sync.Mutex
	shown := map[string]*client.Progress{} // title → progress
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
