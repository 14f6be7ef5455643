package retrieval

import (
	"context"

	"github.com/brv-lsp/brv-lsp/tree"
)

// Engine makes trees searchable. *Retriever is the engine of this program; it can be replaced by another one,
// such as a service that indexes an organisation's shared tree. Package retrievaltest tests what an engine
// must do.
type Engine interface {
	// Open returns the search of one snapshot. It is cheap where little has changed
	// since the last call, and never waits for another process.
	Open(ctx context.Context, snap *tree.Snapshot) (Search, error)

	// Close ends the engine's background work. A Search that was already returned stays valid.
	Close() error
}

// Search ranks the entries of one snapshot for a query, best first. It may be called by any number of
// goroutines; its results never change.
type Search func(ctx context.Context, q Query) (Result, error)

// Open is [Retriever.Sync] for callers that only search.
func (r *Retriever) Open(ctx context.Context, snap *tree.Snapshot) (Search, error) {
	return r.open(ctx, snap, false)
}

// OpenPart is Open for a part of a tree that is still being read: its index is needed only for a moment.
func (r *Retriever) OpenPart(ctx context.Context, snap *tree.Snapshot) (Search, error) {
	return r.open(ctx, snap, true)
}

func (r *Retriever) open(ctx context.Context, snap *tree.Snapshot, part bool) (Search, error) {
	x, err := r.sync(ctx, snap, part)
	if err != nil {
		return nil, err
	}
	return x.Search, nil
}

// Behind runs the search first, and appends the hits of rest where there is room. Hits of rest come before
// only if first finds no good hit, or does not have the scope. rest is opened when it is needed; if it is not
// ready in time, the result of first stands alone.
func Behind(first Search, rest func(context.Context) (Search, error)) Search {
	return func(ctx context.Context, q Query) (Result, error) {
		r, err := first(ctx, q)
		room := q.limit() - len(r.Hits)
		if err != nil || room <= 0 && !r.OutOfDomain {
			return r, err
		}
		var o Result
		search, err := rest(ctx)
		if err == nil {
			o, err = search(ctx, q)
		}
		switch {
		case err != nil && len(r.Hits) == 0:
			return r, err
		case len(o.Hits) == 0:
			return r, nil
		case len(r.Hits) == 0, q.Scope != "" && r.Scope == "" && o.Scope != "",
			r.OutOfDomain && !o.OutOfDomain && o.Hits[0].Score > r.Hits[0].Score:
			return o, nil
		}
		r.Hits = r.Hits[:len(r.Hits):len(r.Hits)]
		for _, h := range o.Hits[:min(len(o.Hits), room)] {
			h.Score = min(h.Score, r.Hits[len(r.Hits)-1].Score)
			r.Hits = append(r.Hits, h)
		}
		return r, nil
	}
}
