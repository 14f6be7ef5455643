package mcp

import (
	"sync"

	"github.com/brv-lsp/brv-lsp/tree"
)

// watched knows which resources someone follows, and the tree as they know it.
type watched struct {
	mu   sync.Mutex
	uris map[string]bool
	tree *tree.Snapshot
}

// maxWatched bounds the resources that a client follows.
const maxWatched = 10_000

func (w *watched) see(t *tree.Snapshot) (before *tree.Snapshot) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before, w.tree = w.tree, t
	return before
}

// among are the followed resources that two trees show differently.
func (w *watched) among(before, after *tree.Snapshot) (uris []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, uri := range sorted(w.uris) {
		p, entry := entryOf(uri)
		if !entry {
			uris = append(uris, uri)
			continue
		}
		was, had := before.Entry(p)
		is, has := after.Entry(p)
		if had != has || has && was.Hash != is.Hash {
			uris = append(uris, uri)
		}
	}
	return uris
}
