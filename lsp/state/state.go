// Package state holds what a session's client has open: folders, each with its workspace, the documents in them,
// and the places of the last edits. [Refresher] tells the client about changes. On the read loop, a request takes
// a [Scene] of this state, and answers only from that.
//
// Only the read loop writes [Folders], [Documents] and [Edits]. Each of them, each [Folder] and the [Refresher]
// has its own lock, and no goroutine holds two of these locks. A folder's lock is held while its workspace
// receives a buffer, so that buffers arrive in order. The refresher's lock is held while [client.Client.Spawn]
// starts a goroutine.
package state

import (
	"strconv"
	"sync"

	"github.com/brv-lsp/brv-lsp/lsp/client"
)

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

// maxAnswers is how many answers of a session can be shown again.
const maxAnswers = 16

// Answers holds the last answers that were shown.
type Answers struct {
	mu    sync.Mutex // guards the fields below
	last  int        // number of the newest answer
	texts [maxAnswers]string
}

// Keep stores a text and returns its number.
func (a *Answers) Keep(text string) (id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last++
	a.texts[a.last%maxAnswers] = text
	return strconv.Itoa(a.last)
}

// Text returns a text by its number.
func (a *Answers) Text(id string) (string, bool) {
	n, err := strconv.Atoi(id)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil || n < 1 || n > a.last || n <= a.last-maxAnswers {
		return "", false
	}
	return a.texts[n%maxAnswers], true
}
