package store

import (
	"context"
	"errors"
	"maps"
	"slices"
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
	err := s.journal.Locked(ctx, func() error {
		shards := map[string][]string{}
		for _, p := range paths {
			if _, ok := s.Snapshot().Entry(p); ok {
				shards[tree.UsageFile(p)] = append(shards[tree.UsageFile(p)], p)
			}
		}
		for _, shard := range slices.Sorted(maps.Keys(shards)) {
			at := tree.StateDir + "/" + shard
			_, counters, err := s.counters.read(at)
			if err != nil {
				return err
			}
			for _, p := range shards[shard] {
				e, _ := s.Snapshot().Entry(p)
				u := counters[p]
				u.Committed = s.Snapshot().Committed(p)
				u = next(e, u, s.now().UTC())
				u.Committed = time.Time{}
				counters[p] = u
			}
			if err := s.journal.Replace(at, s.counters.sealed(at, counters)); err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(err, s.refreshUsage())
}

// refreshUsage publishes a snapshot with the newest counters.
func (s *Store) refreshUsage() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counters.changed()
	last := s.snapshot.Load()
	if m := s.counters.load(last.Counters()); !maps.Equal(m, last.Counters()) {
		s.snapshot.Store(last.WithUsage(m))
	}
	return nil
}

// SetCommits tells the store since when, as git tells, the entries at these paths say what they say.
func (s *Store) SetCommits(at map[string]time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.snapshot.Load()
	if next := last.WithCommits(at); next != last {
		s.snapshot.Store(next)
	}
}
