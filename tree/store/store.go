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

// keptChanges is how many changes can be taken back: some months of curating, or, since an
// undo is a change too, a dream at its bounds of which everything was decided and is taken
// back (some 110 changes, 60 decisions and 170 of the undo), and what people do between.
const keptChanges = 500

// Options of a store.
type Options struct {
	Cache  string           // folder for what was parsed, made when it is needed; "" for none
	Shared string           // what trees have in common that share it, as the working trees of a repository; "" for the tree alone
	Now    func() time.Time // the clock; time.Now if nil
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
	Wait   func(ctx context.Context, d time.Duration) error
	Limits Limits // the usual ones if zero
	// Through stands between the store and the disk where files are changed: tests stop a
	// process there. Nothing does if nil.
	Through func(txn.FS) txn.FS
}

// Limits bound what a store reads. It writes nothing that is over them.
type Limits struct {
	Files int   // of a tree, beside generated and archived ones; 100,000 if 0
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
	inputs  func(marks bool) plan.Inputs // what operations are planned from besides the tree
	saving  saving
}

// Open reads the tree of the `.brv` folder dir; one without a tree has an empty
// one. It writes nothing there, except that it finishes a change that a crash
// interrupted.
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

// Busy reports whether somebody is changing the tree at this moment.
func (s *Store) Busy() bool {
	unlock, err := s.root.Lock(tree.StateDir + "/lock")
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	unlock()
	return false
}

// Credit counts one use of each entry at those paths: an answer it gave, a visit,
// a pack it went into. Uses are counted beside the entries, in `.brv/state`. Where
// nobody has written to the tree yet, nothing is written.
func (s *Store) Credit(ctx context.Context, paths ...string) error {
	return s.countUses(ctx, paths, func(e *format.Entry, u tree.Usage, now time.Time) tree.Usage { return tree.Credit(e, u, 1, now) })
}

// Renamed lets what was counted of entries go with their files, which an editor moved: from is an entry, or a folder
// of entries, and to what it is called now.
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
