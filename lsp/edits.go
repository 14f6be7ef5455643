package lsp

import (
	"slices"
	"sync"
	"time"

	"go.lsp.dev/uri"
)

// Limits of the edits that are remembered. What was edited longest ago says least of
// what is being worked on.
const (
	maxEdits   = 32
	sameEdit   = 400 // bytes: about ten lines; what is nearer belongs to one edit
	blockBytes = 4096
)

// madeEdit is a place where an open document was changed.
type madeEdit struct {
	uri    uri.URI
	key    string // see bufferKey
	offset int    // in the document as it is now
	at     time.Time
}

// recentEdits are the places where the user edited last, the oldest first. They move
// with the text.
type recentEdits struct {
	mu   sync.Mutex // guards list
	list []madeEdit
}

func (e *recentEdits) all() []madeEdit {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.list)
}

// note remembers that a document changed from one text to another.
func (e *recentEdits) note(u uri.URI, before, after string, now time.Time) {
	start, removed, added := change(before, after)
	if removed+added == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	key, end := bufferKey(u), start+added
	e.list = slices.DeleteFunc(e.list, func(m madeEdit) bool {
		return m.key == key && start-sameEdit <= m.offset && m.offset <= start+removed+sameEdit
	})
	for i := range e.list {
		if m := &e.list[i]; m.key == key && m.offset > start {
			m.offset += added - removed
		}
	}
	if len(e.list) >= maxEdits {
		e.list = e.list[1:]
	}
	e.list = append(e.list, madeEdit{u, key, end, now})
}

// forget drops the edits of a document whose text is no longer followed.
func (e *recentEdits) forget(u uri.URI) {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := bufferKey(u)
	e.list = slices.DeleteFunc(e.list, func(m madeEdit) bool { return m.key == key })
}

// change is what lies between the longest common beginning and end of two texts: where
// it starts, and how many bytes of the one became how many of the other. Equal blocks
// are compared as a whole, so that a keystroke in a megabyte costs microseconds.
func change(before, after string) (start, removed, added int) {
	a, b := before, after
	for len(a) >= blockBytes && len(b) >= blockBytes && a[:blockBytes] == b[:blockBytes] {
		a, b = a[blockBytes:], b[blockBytes:]
	}
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	start = len(before) - len(a)
	for len(a) >= blockBytes && len(b) >= blockBytes && a[len(a)-blockBytes:] == b[len(b)-blockBytes:] {
		a, b = a[:len(a)-blockBytes], b[:len(b)-blockBytes]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return start, len(a), len(b)
}
