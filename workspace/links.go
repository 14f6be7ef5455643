package workspace

import (
	"sync"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
)

// linker makes links, from those made last where they help.
type linker struct {
	mu   sync.Mutex // held while links are made
	last atomic.Pointer[madeLinks]
}

// madeLinks are links with the code on disk that theirs is, or is laid over.
type madeLinks struct {
	links *link.Links
	disk  *codebase.RepoMap
}

// of makes the links of a tree and a map. disk is the map, or what it is laid over. Where
// only other, the other linker, knows that disk, its links are the nearer ones: they share
// nearly all with what is made from them.
func (l *linker) of(t *tree.Snapshot, code, disk *codebase.RepoMap, other *linker) *link.Links {
	l.mu.Lock()
	defer l.mu.Unlock()
	last, near := l.last.Load(), other.last.Load()
	if near != nil && near.disk == disk && (last == nil || last.disk != disk) {
		last = near
	}
	next := &madeLinks{disk: disk}
	if last == nil {
		next.links = link.Build(t, code)
	} else {
		next.links = last.links.Update(t, code)
	}
	l.last.Store(next)
	return next.links
}

// noLinks are those of nothing.
var noLinks = sync.OnceValue(func() *link.Links { return link.Build(tree.NewSnapshot(nil, nil), codebase.Empty()) })
