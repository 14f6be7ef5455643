// Package config resolves the configuration of a session's folders and opens the folders with it: the
// settings from their layers, the user's trust, and the model in the settings.
//
// Lock order: applying is taken first, then resolving; modeling is taken alone. The lock of the preferences
// is taken last. A folder's own lock ([state.Folder]) is taken inside of applying. No lock is held during a
// request to the client, except the one that serialises requests for keys ([client.Keys]).
package config

import (
	"sync"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/lsp/diagnostics"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// Options are the session's options, as far as folders need them.
type Options struct {
	Workspace workspace.Options        // what all workspaces have in common
	Dir       string                   // the user's folder of this program's configuration, see [settings.ReadUser]; "" for none
	Getenv    func(name string) string // for the keys of models
	// Trust reports whether a folder is trusted, and if not why. It is used if the client does not state
	// trust; nil trusts no folder.
	Trust func(folder string) (trusted bool, why string)
}

// Config holds the settings and the trust of a session's folders, and opens them with it.
type Config struct {
	*state.Session
	opts        Options
	diagnostics *diagnostics.Diagnostics
	preferences preferences
	trust       editorTrust
	greeted     chan struct{} // closed by greet
	Greet       func()        // called after the answer to initialize: folders are opened
}

// New is for a session in which no folder is open yet.
func New(s *state.Session, d *diagnostics.Diagnostics, o Options) *Config {
	c := &Config{Session: s, diagnostics: d, opts: o, greeted: make(chan struct{})}
	c.Greet = sync.OnceFunc(func() { close(c.greeted) })
	return c
}

// editorTrust is the trust that the client states. The zero value means a client that does not support
// trust.
type editorTrust struct{ reported atomic.Pointer[bool] }

func (t *editorTrust) say(trusted bool) { t.reported.Store(&trusted) }
