package retrieval

import (
	"context"

	"github.com/brv-lsp/brv-lsp/tree"
)

// Engine makes trees searchable. *Retriever is the engine of this program; another
// one can stand in its place, such as a service that an organisation's shared tree
// is indexed by. Package retrievaltest tests what an engine must do.
type Engine interface {
	// Open returns the search of one snapshot. It is cheap where little has changed
	// since the last call, and never waits for another process.
	Open(ctx context.Context, snap *tree.Snapshot) (Search, error)

	// Close ends the engine's background work. A Search already handed out stays valid.
	Close() error
}

// Search ranks the entries of one snapshot for a query, best first. It may be
// called by any number of goroutines; what it finds never changes.
type Search func(ctx context.Context, q Query) (Result, error)

// Open is [Retriever.Sync] for those who only search.
func (r *Retriever) Open(ctx context.Context, snap *tree.Snapshot) (Search, error) {
	x, err := r.Sync(ctx, snap)
	if err != nil {
		return nil, err
	}
	return x.Search, nil
}
