package store

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/seal"
	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// racy is how near to each other a file's time and a look at it can be while a
// later write may still give the file the same time: FAT counts in steps of 2 s,
// the coarsest of common file systems.
const racy = 2 * time.Second

// keptChanges is how many changes can be taken back: some months of curating, or, since an
// undo is a change too, a dream at its bounds of which everything was decided and is taken
// back (some 110 changes, 60 decisions and 170 of the undo), and what people do between.
const keptChanges = 500

// Options of a store.
type Options struct {
	Cache string           // folder for what was parsed, made when it is needed; "" for none
	Now   func() time.Time // the clock; time.Now if nil
	// Inputs collects what changes are planned from besides the tree, but for the time; with the marks of
	// code only if asked for them. It is called from any goroutine; nil: there is nothing.
	Inputs func(marks bool) plan.Inputs
	// Partly is called while the store is opened, before each part of the files is read, with
	// what has been read so far; the reading waits for it. Only large trees have several parts.
	Partly func(s *tree.Snapshot, done, total int)
	// Seal marks what is kept beside the entries as this user's, so that a state that came with
	// the repository is not believed; if nil, as this process's, after which nothing is.
	Seal *seal.Folder
	// Trusted tells whether reading may finish a change that a crash interrupted. It does if
	// nil; otherwise the next change does.
	Trusted func() bool
	// Writable is asked before anything is written; its error is returned. All is if nil.
	Writable func() error
	// Wait waits for d, or until ctx ends, where an entry is being saved; a timer's if nil.
	Wait func(ctx context.Context, d time.Duration) error
	// Through stands between the store and the disk where files are changed: tests stop a
	// process there. Nothing does if nil.
	Through func(txn.FS) txn.FS
}

// Store owns one project's `.brv` folder: it publishes snapshots of its tree, and
// is the only one to change entries ([Store.Apply]). Any number of stores, in any
// number of processes, may work on one folder. Reading is safe from any goroutine;
// refreshes follow one another.
type Store struct {
	*folder
	Sidecar *Sidecar

	entries  *jail.Root // for walks, which follow no link, and for what they find
	trusted  func() bool
	cache    *cache                       // nil for none
	collect  func(marks bool) plan.Inputs // [Options.Inputs]
	wait     func(ctx context.Context, d time.Duration) error
	partly   func(s *tree.Snapshot, done, total int) // nil but while the store is opened
	snapshot atomic.Pointer[tree.Snapshot]

	planned struct { // reviews as they were planned last
		sync.Mutex
		of map[int]plannedReview // by batch
	}

	mu       sync.Mutex      // held by Refresh and Close
	seen     map[string]look // every markdown file, by tree path
	counters counters
	emptied  []string  // entries that are being saved and were left as they were
	latest   time.Time // of the newest change into whose files somebody may still write
}

// folder is the `.brv` folder, which the parts of a store share.
type folder struct {
	root    *jail.Root // without links
	disk    txn.FS     // root, where files are changed
	journal *txn.Journal
	seal    *seal.Folder
	now     func() time.Time
}

// look is what was found in a file, beside its entry.
type look struct {
	stamp
	skipped string // why it is no entry, "" if it is one
}

// mayChange tells which files a batch is about: entries, counters and reviews.
func mayChange(p string) bool {
	if format.Hidden(p) {
		return false
	}
	dir, name := path.Split(p)
	switch dir {
	case countersDir + "/", reviewDir + "/":
		return path.Ext(name) == ".json"
	}
	return strings.HasPrefix(p, tree.Dir+"/") && path.Ext(name) == ".md"
}

// Close writes the cache if much changed, and releases the folder. Snapshots stay
// valid.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cache != nil {
		s.cache.save(s.Snapshot(), s.seen, s.now())
		s.cache.writing.Wait()
	}
	return s.root.Close()
}

// Snapshot returns the tree as of the last refresh.
func (s *Store) Snapshot() *tree.Snapshot { return s.snapshot.Load() }

// inputs are what operations are planned from besides the tree.
func (s *Store) inputs(marks bool) (in plan.Inputs) {
	if s.collect != nil {
		in = s.collect(marks)
	}
	in.Now = plan.Stamp(s.now())
	return in
}

// Busy reports whether somebody is changing the tree at this moment.
func (s *Store) Busy() bool {
	unlock, err := s.root.Lock(tree.StateDir + "/lock")
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	unlock()
	return false
}

// plannedReview is what a review said when it was planned last. Planning costs 10 ms of processor time for three
// updates in a tree of 1,000 entries, and a hundredth of that where it stands (BenchmarkReviews); and
// lists are asked for again and again.
type plannedReview struct {
	told   Review
	on     *tree.Snapshot
	writes []string // tree paths
	plain  bool     // it rests on its own entries alone
}

// within reports whether a file of that time changed so short a time ago.
func (f *folder) within(d time.Duration, mod time.Time) bool { return f.now().Sub(mod).Abs() < d }

const (
	// settles is how long after a change an entry that is empty or shorter may still be half of a
	// save. Savers that were measured leave up to 80 ms between the two, `jq` on a large file and
	// network drives some hundred.
	settles = time.Second
	// settlePause is how long to wait between two looks at it.
	settlePause = 20 * time.Millisecond
)

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
