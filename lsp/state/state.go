// Package state holds what a session's client has open: folders, each with its workspace, the documents in them,
// and the places of the last edits. [Refresher] tells the client about changes. On the read loop, a request takes
// a [Scene] of this state, and answers only from that.
//
// Only the read loop writes [Folders], [Documents] and [Edits]. Each of them, each [Folder] and the [Refresher]
// has its own lock, and no goroutine holds two of these locks. A folder's lock is held while its workspace
// receives a buffer, so that buffers arrive in order. The refresher's lock is held while [client.Client.Spawn]
// starts a goroutine.
package state

import "github.com/brv-lsp/brv-lsp/lsp/client"

// Session holds the folders and documents that a client has open, and its status.
type Session struct {
	Client    *client.Client
	Folders   Folders
	Documents Documents
	Edits     Edits
	Refresh   *Refresher
}

// New returns the state of a session without open folders.
func New(c *client.Client) *Session {
	s := &Session{Client: c}
	s.Refresh = &Refresher{s: s}
	return s
}
