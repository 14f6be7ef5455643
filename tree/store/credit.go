package store

import (
	"context"
	"time"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Credit counts one use of each entry at those paths: an answer it gave, a visit,
// a pack it went into. Uses are counted beside the entries, in `.brv/state`. Where
// nobody has written to the tree yet, nothing is written.
func (s *Store) Credit(ctx context.Context, paths ...string) error {
	return s.countUses(ctx, paths, func(e *format.Entry, u tree.Usage, now time.Time) tree.Usage { return tree.Credit(e, u, 1, now) })
}

// Keep records that someone decided to keep those entries though they are stale:
// staleness counts from now.
func (s *Store) Keep(ctx context.Context, paths ...string) error {
	return s.countUses(ctx, paths, func(_ *format.Entry, u tree.Usage, now time.Time) tree.Usage {
		u.KeptAt = now
		return u
	})
}

func (s *Store) countUses(ctx context.Context, paths []string, next func(*format.Entry, tree.Usage, time.Time) tree.Usage) error {
	if !s.Written() {
		return nil
	}
	err := s.journal.Locked(ctx, func() error { return s.counters.count(s.Snapshot(), paths, next) })
	s.refreshUsage()
	return err
}
