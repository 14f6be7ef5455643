package retrieval_test

import (
	"context"
	"sync"
	"testing"

	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/retrieval/retrievaltest"
	"github.com/brv-lsp/brv-lsp/tree"
)

func TestRetrieverInMemory(t *testing.T) {
	retrievaltest.Run(t, func(t *testing.T) retrieval.Engine {
		r, err := retrieval.New(retrieval.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	})
}

func TestRetrieverWithCache(t *testing.T) {
	retrievaltest.Run(t, func(t *testing.T) retrieval.Engine { return &successive{cache: t.TempDir()} })
}

// successive opens every snapshot with a Retriever of its own over one cache, as
// processes do that follow each other.
type successive struct {
	cache string

	mu     sync.Mutex // guards what follows
	closed bool
}

func (s *successive) Open(ctx context.Context, snap *tree.Snapshot) (retrieval.Search, error) {
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return nil, retrieval.ErrClosed
	}
	r := retrieval.NewEager(retrieval.Options{Cache: s.cache})
	defer r.Close()
	return r.Open(ctx, snap)
}

func (s *successive) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}
