package retrieval

import (
	"context"
	"errors"
	"sync"

	"github.com/brv-lsp/brv-lsp/tree"
)

// Options configure a Retriever. There is nothing to choose yet.
type Options struct{}

// Retriever keeps a search index in step with a tree. Its methods may be called
// by any number of goroutines.
type Retriever struct {
	stop  context.CancelFunc
	ctx   context.Context // ends with Close; only the background rebuild runs under it
	tasks sync.WaitGroup

	mu       sync.Mutex // guards what follows
	store    *store     // nil: build anew
	current  *Index
	building bool
	closed   bool
}

// ErrClosed is returned by Sync after Close.
var ErrClosed = errors.New("retriever is closed")

// New returns a Retriever over an empty tree.
func New(Options) (*Retriever, error) {
	ctx, stop := context.WithCancel(context.Background())
	return &Retriever{ctx: ctx, stop: stop}, nil
}

// Close ends the background work. Indexes already handed out stay valid.
func (r *Retriever) Close() error {
	r.stop()
	r.mu.Lock()
	r.closed = true
	s := r.store
	r.store, r.current = nil, nil
	r.mu.Unlock()
	r.tasks.Wait()
	if s == nil {
		return nil
	}
	return s.bleve.Close()
}

// Sync returns the index of a snapshot. Only entries whose path or content hash
// changed since the last call are analysed; for an unchanged tree the last index
// is returned. The result never changes, whatever later calls do.
func (r *Retriever) Sync(ctx context.Context, snap *tree.Snapshot) (*Index, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, ErrClosed
	}
	if r.store == nil {
		s, err := newStore()
		if err != nil {
			return nil, err
		}
		r.store, r.current = s, nil
	}
	c := r.store.diff(snap.Entries())
	if c.empty() && r.current != nil {
		r.current = r.current.over(snap)
		return r.current, nil
	}
	if err := r.store.apply(ctx, c); err != nil {
		return nil, r.abandon(err)
	}
	x, err := newIndex(snap, r.store)
	if err != nil {
		return nil, r.abandon(err)
	}
	r.current = x
	r.rebuildIfWorn()
	return x, nil
}

// abandon drops a store that stopped half way; the next Sync builds a new one.
func (r *Retriever) abandon(err error) error {
	closeErr := r.store.bleve.Close()
	r.store, r.current = nil, nil
	return errors.Join(err, closeErr)
}

// rebuildIfWorn starts building a fresh store in the background once the current
// one has taken too many batches. The lock is held.
func (r *Retriever) rebuildIfWorn() {
	if r.building || r.store.batches <= maxBatches+len(r.store.docs)/batchSize {
		return
	}
	r.building = true
	worn, entries := r.store, r.store.entries()
	r.tasks.Go(func() { r.rebuild(worn, entries) })
}

// rebuild makes a store of entries and puts it in the place of the worn one,
// caught up with what changed meanwhile.
func (r *Retriever) rebuild(worn *store, entries []*tree.Entry) {
	fresh, err := newStore()
	if err == nil {
		err = fresh.apply(r.ctx, fresh.diff(entries))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.building = false
	if err == nil && r.store == worn && !r.closed {
		if err = fresh.apply(r.ctx, fresh.diff(worn.entries())); err == nil {
			fresh.batches = 0
			r.store, fresh = fresh, worn
		}
	}
	if fresh != nil {
		fresh.bleve.Close() // the worn store, or a failed rebuild: the worn one then serves on
	}
}
