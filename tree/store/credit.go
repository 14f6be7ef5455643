package store

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
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
			_, counters, err := s.readUsage(at)
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
			if err := s.journal.Replace(at, s.sealedUsage(at, counters)); err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(err, s.refreshUsage())
}

// readUsage reads one file of counters: its bytes (nil if there is no file) and
// what they say.
func (s *Store) readUsage(at string) ([]byte, map[string]tree.Usage, error) {
	data, err := s.root.ReadFile(at, maxState)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, map[string]tree.Usage{}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	object, ours := s.seal.Open(at, data)
	m, err := tree.DecodeUsage(object)
	if !ours || err != nil || m == nil {
		m = map[string]tree.Usage{} // a damaged file counts as none, as one of a stranger: it must not stop all counting
	}
	return data, m, nil
}

// sealedUsage is the text of a file of counters; nil for none.
func (s *Store) sealedUsage(at string, m map[string]tree.Usage) []byte {
	data := tree.EncodeUsage(m)
	if data != nil {
		data = s.seal.Seal(at, data)
	}
	return data
}

// refreshUsage publishes a snapshot with the newest counters.
func (s *Store) refreshUsage() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counted = stamp{} // our own changes may come within one tick of the file system's clock
	m := s.loadUsage()
	if last := s.snapshot.Load(); !maps.Equal(m, last.Counters()) {
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

// loadUsage reads all counters, unless their folder is as it was. A damaged file
// counts as none: uses are not worth a tree that does not open. mu is held.
func (s *Store) loadUsage() map[string]tree.Usage {
	dir := tree.StateDir + "/" + path.Dir(tree.UsageFile("x"))
	now := stamp{read: s.now()}
	if info, err := s.root.Lstat(dir); err == nil {
		now.mod = info.ModTime() // each file is replaced by a rename, which is a change of the folder
	}
	if last := s.Snapshot(); s.counted.same(now) {
		return last.Counters()
	}
	s.counted = now
	all := map[string]tree.Usage{}
	list, err := s.root.ReadDir(dir)
	if err != nil {
		return all
	}
	for _, d := range list {
		if strings.HasSuffix(d.Name(), ".json") && !strings.HasPrefix(d.Name(), ".") {
			_, m, err := s.readUsage(dir + "/" + d.Name())
			if err == nil {
				maps.Copy(all, m)
			}
		}
	}
	return all
}
