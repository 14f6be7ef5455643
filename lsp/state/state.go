// Package state is what the client of a session has open: folders, each with its workspace,
// documents in them, and where they were edited last; and what of all that the client is told
// ([Refresher]). A request takes a [Scene] of it on the read loop and answers from that alone.
//
// The read loop is the only writer of [Folders], [Documents] and [Edits]; all others read. Each of
// them, a [Folder] and the [Refresher] has a lock of its own, and none is taken while another of them
// is held. A folder's is held while its workspace is shown a buffer, so that buffers reach it in order;
// the refresher's while a goroutine of [client.Client.Spawn] is begun.
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
