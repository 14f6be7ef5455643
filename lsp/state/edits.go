package state

import (
	"slices"
	"sync"
	"time"

	"go.lsp.dev/uri"
)

// Limits of the remembered edits. The oldest ones tell the least about the present work.
const (
	maxEdits   = 32
	sameEdit   = 400 // bytes: about ten lines; closer changes belong to the same edit
	blockBytes = 4096
)

// Edit is a place where an open document was changed.
type Edit struct {
	URI    uri.URI
	key    string // see Key
	Offset int    // in the present document
	At     time.Time
}

// Edits holds the places of the user's last edits, oldest first. They move with the text.
type Edits struct {
	mu   sync.Mutex // guards list
	list []Edit
}

// All returns the edits, oldest first.
func (e *Edits) All() []Edit {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.list)
}

// Note records a change of a document from one text to another.
func (e *Edits) Note(u uri.URI, before, after string, now time.Time) {
	start, removed, added := change(before, after)
	if removed+added == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	key, end := Key(u), start+added
	e.list = slices.DeleteFunc(e.list, func(m Edit) bool {
		return m.key == key && start-sameEdit <= m.Offset && m.Offset <= start+removed+sameEdit
	})
	for i := range e.list {
		if m := &e.list[i]; m.key == key && m.Offset > start {
			m.Offset += added - removed
		}
	}
	if len(e.list) >= maxEdits {
		e.list = e.list[1:]
	}
	e.list = append(e.list, Edit{u, key, end, now})
}

// Forget drops the edits of a document whose text is no longer tracked.
func (e *Edits) Forget(u uri.URI) {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := Key(u)
	e.list = slices.DeleteFunc(e.list, func(m Edit) bool { return m.key == key })
}

// change compares two texts without their longest common beginning and end. It returns where the difference
// starts, and how many bytes were removed and added. Equal blocks are compared as a whole, so that a keystroke in
// a megabyte costs microseconds.
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
