package store

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/seal"
	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// keptChanges is the number of changes that can be undone: some months of curating. Since an undo is a change
// too, it is also enough for a dream of the largest size whose proposals were all decided and then undone
// (some 110 changes, 60 decisions and 170 undos), and people's changes in between.
const keptChanges = 500

// Options of a store.
type Options struct {
	Cache  string           // folder for what was parsed, made when it is needed; "" for none
	Shared string           // what trees that share the cache have in common, such as the repository; "" for the tree alone
	Now    func() time.Time // the clock; time.Now if nil
	// Inputs collects the inputs of plans besides the tree, except the time; the marks of code only if
	// requested. It is called from any goroutine. nil: no inputs.
	Inputs func(marks bool) plan.Inputs
	// Partly is called while the store is opened, before each part of the files is read, with the files read
	// so far; reading waits for it. Only large trees have several parts.
	Partly func(s *tree.Snapshot, done, total int)
	// Seal marks the files beside the entries as this user's, so that state files that came with the
	// repository are not trusted. If nil, they are trusted only within this process.
	Seal *seal.Folder
	// Trusted tells whether reading may finish a change that a crash interrupted. nil means yes; if false,
	// the next change does so.
	Trusted func() bool
	// Writable is called before any write; its error is returned. nil allows all writes.
	Writable func() error
	// Wait waits for d, or until ctx ends, while an entry is being saved; nil means a timer.
	Wait   func(ctx context.Context, d time.Duration) error
	Limits Limits // the usual ones if zero
	// Through wraps the disk when files are changed: tests stop a process there. nil means no wrapper.
	Through func(txn.FS) txn.FS
}

// Limits bound the sizes that a store reads. It writes no files above them.
type Limits struct {
	Files int   // of a tree, without generated and archived ones; 100,000 if 0
	State int64 // bytes of a review, or of a file of counters; 64 MiB if 0
}

// Store owns one project's `.brv` folder: it publishes snapshots of its tree, and
// is the only one to change entries ([Store.Apply]). Any number of stores, in any
// number of processes, may work on one folder. Reading is safe from any goroutine;
// refreshes follow one another.
type Store struct {
	*reader
	Reviews *Reviews                     // what waits for a decision
	Sidecar *Sidecar                     // files of other parts of the program
	inputs  func(marks bool) plan.Inputs // the inputs of plans besides the tree
	saving  saving
}

// Open reads the tree of the `.brv` folder dir; a folder without a tree has an empty one. It writes no files
// there, except to finish a change that a crash interrupted.
func Open(ctx context.Context, dir string, o Options) (*Store, error) {
	root, err := jail.Open(dir)
	if err != nil {
		return nil, err
	}
	return OpenIn(ctx, root, o)
}

// OpenIn is Open for a `.brv` folder that is open already. The store closes it.
func OpenIn(ctx context.Context, root *jail.Root, o Options) (*Store, error) {
	f := &folder{root: root.WithoutLinks(), seal: o.Seal, now: o.Now, maxState: cmp.Or(o.Limits.State, maxState)}
	if f.now == nil {
		f.now = time.Now
	}
	if f.seal == nil {
		f.seal = new(seal.Secret).For(root.ID())
	}
	f.disk = f.root
	if o.Through != nil {
		f.disk = o.Through(f.root)
	}
	f.journal = txn.Open(f.disk, tree.StateDir, txn.Options{Now: f.now, Keep: keptChanges, Seal: f.seal,
		MayChange: mayChange, Allowed: o.Writable})
	s := &Store{Sidecar: &Sidecar{f}, saving: saving{f, o.Wait}, reader: &reader{folder: f, entries: root,
		trusted: o.Trusted, partly: o.Partly, seen: map[string]look{}, counters: counters{folder: f},
		quota: quota{most: cmp.Or(o.Limits.Files, maxFiles)}}}
	if s.saving.wait == nil {
		s.saving.wait = pause
	}
	s.inputs = func(marks bool) (in plan.Inputs) {
		if o.Inputs != nil {
			in = o.Inputs(marks)
		}
		in.Now = plan.Stamp(f.now())
		return in
	}
	s.Reviews = &Reviews{folder: f, reader: s.reader, inputs: s.inputs}
	s.snapshot.Store(tree.NewSnapshot(nil, nil))
	if o.Cache != "" {
		s.cache = newCache(o.Cache, o.Shared, root.Dir())
	}
	if err := s.first(ctx); err != nil {
		root.Close()
		return nil, err
	}
	s.partly = nil
	return s, nil
}

// mayChange returns the files that a batch may change: entries, counters and reviews.
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

// Busy reports whether somebody is changing the tree at this moment.
func (s *Store) Busy() bool {
	unlock, err := s.root.Lock(tree.StateDir + "/lock")
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	unlock()
	return false
}

// Credit counts one use of each entry at those paths: an answer from it, a visit, its place in a pack. Uses
// are counted beside the entries, in `.brv/state`. If this user has not changed the tree yet, no files are
// written.
func (s *Store) Credit(ctx context.Context, paths ...string) error {
	return s.countUses(ctx, paths, func(e *format.Entry, u tree.Usage, now time.Time) tree.Usage { return tree.Credit(e, u, 1, now) })
}

// Renamed moves the counters of entries whose files an editor moved: from is the old path of an entry or a
// folder of entries, and to is the new one.
func (s *Store) Renamed(ctx context.Context, from, to string) error {
	moved := map[string]string{}
	for entry := range s.Snapshot().Counters() {
		if rest, ok := strings.CutPrefix(entry, from); ok && (rest == "" || rest[0] == '/') {
			moved[entry] = to + rest
		}
	}
	if len(moved) == 0 {
		return nil
	}
	err := s.journal.Locked(ctx, func() error { return s.counters.rename(moved) })
	s.refreshUsage()
	return err
}

func (s *Store) countUses(ctx context.Context, paths []string, next counting) error {
	if !s.Written() {
		return nil
	}
	err := s.journal.Locked(ctx, func() error { return s.counters.count(s.Snapshot(), paths, next) })
	s.refreshUsage()
	return err
}
