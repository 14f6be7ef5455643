// Package state holds what the client of a session has open: folders, each with its workspace, the documents
// in them, and the places of the last edits. [Refresher] tells the client of changes. A request takes a
// [Scene] of it on the read loop and answers from that alone.
//
// The read loop is the only writer of [Folders], [Documents] and [Edits]. Each of them, each [Folder] and the
// [Refresher] has its own lock, and none is taken while another of them is held. A folder's lock is held
// while its workspace gets a buffer, so that buffers reach it in order. The refresher's lock is held while
// [client.Client.Spawn] starts a goroutine.
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

// New is the state of a session in which nothing is open yet.
func New(c *client.Client) *Session {
	s := &Session{Client: c}
	s.Refresh = &Refresher{s: s}
	return s
}
