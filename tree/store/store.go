package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/seal"
	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// maxFiles bounds how many files a tree may hold, so that a tree that links
// into something huge does not take the machine's memory.
const maxFiles = 100_000

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
	entries  *jail.Root // for walks, which follow no link, and for what they find
	root     *jail.Root // the same folder, without links
	disk     txn.FS     // root, where files are changed
	journal  *txn.Journal
	seal     *seal.Folder
	trusted  func() bool
	now      func() time.Time
	cache    *cache                       // nil for none
	collect  func(marks bool) plan.Inputs // [Options.Inputs]
	wait     func(ctx context.Context, d time.Duration) error
	partly   func(s *tree.Snapshot, done, total int) // nil but while the store is opened
	snapshot atomic.Pointer[tree.Snapshot]

	planned struct { // reviews as they were planned last
		sync.Mutex
		of map[int]plannedReview // by batch
	}

	mu      sync.Mutex      // held by Refresh and Close
	seen    map[string]look // every markdown file, by tree path
	counted stamp           // of the folder of usage counters, when it was read
	emptied []string        // entries that are being saved and were left as they were
	latest  time.Time       // of the newest change into whose files somebody may still write
}

// look is what was found in a file, beside its entry.
type look struct {
	stamp
	skipped string // why it is no entry, "" if it is one
}

// stamp is what tells that a file is unchanged since it was read.
type stamp struct {
	size int64
	mod  time.Time
	read time.Time // when it was read
}

// same reports whether a file with a new stamp has the content it had.
func (s stamp) same(now stamp) bool {
	return s.size == now.size && s.mod.Equal(now.mod) && !s.doubtful()
}

// doubtful reports whether the file may have been written again after it was
// read and have kept its size and time.
func (s stamp) doubtful() bool { return s.mod.Add(racy).After(s.read) }

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
	s := &Store{entries: root, root: root.WithoutLinks(), seal: o.Seal, trusted: o.Trusted, now: o.Now,
		collect: o.Inputs, partly: o.Partly, seen: map[string]look{}}
	if s.now == nil {
		s.now = time.Now
	}
	if s.seal == nil {
		s.seal = new(seal.Secret).For(root.ID())
	}
	if s.wait = o.Wait; s.wait == nil {
		s.wait = pause
	}
	s.disk = s.root
	if o.Through != nil {
		s.disk = o.Through(s.root)
	}
	s.journal = txn.Open(s.disk, tree.StateDir, txn.Options{Now: s.now, Keep: keptChanges, Seal: s.seal, MayChange: mayChange, Allowed: o.Writable})
	s.snapshot.Store(tree.NewSnapshot(nil, nil))
	if o.Cache != "" {
		s.cache = newCache(o.Cache, root.Dir())
	}
	if err := s.first(ctx); err != nil {
		root.Close()
		return nil, err
	}
	s.partly = nil
	return s, nil
}

// first reads everything, from the cache where that helps.
func (s *Store) first(ctx context.Context) error {
	if s.cache == nil {
		_, err := s.Refresh(ctx)
		return err
	}
	s.cache.loading.Go(s.cache.load) // beside the walk over the folders
	if _, err := s.Refresh(ctx); err != nil {
		return err
	}
	s.cache.forget()
	s.cache.save(s.Snapshot(), s.seen, s.now())
	return nil
}

// mayChange tells which files a batch is about: entries, counters and reviews.
func mayChange(p string) bool {
	if format.Hidden(p) {
		return false
	}
	dir, name := path.Split(p)
	switch dir {
	case tree.StateDir + "/" + path.Dir(tree.UsageFile("x")) + "/", reviewDir + "/":
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

// Refresh looks at the touched tree paths only, files or folders with all below
// them; at everything if there are none, or "" is one. Of what it looks at it
// reads the files whose size or time changed, and touched files in any case: two
// writes within one tick of the file system's clock look the same. It publishes a
// new snapshot if anything changed. An error leaves the last snapshot.
//
// Where a change of several files is half done, by another process or by one that
// died, it is waited for or finished, so that a snapshot does not show a half.
func (s *Store) Refresh(ctx context.Context, touched ...string) (*tree.Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range maxRereads {
		if err := s.reread(ctx, touched); err != nil {
			return nil, err
		}
		if !s.journal.Interrupted() || s.trusted != nil && !s.trusted() {
			break
		}
		if _, err := s.journal.Recover(ctx); err != nil {
			break // the folder may be read-only: what is there is shown
		}
		touched = nil // what was half done is not known here
	}
	return s.Snapshot(), nil
}

// maxRereads bounds how often a tree is read again because someone is changing it.
const maxRereads = 3

// reread reads what changed and publishes it. mu is held.
func (s *Store) reread(ctx context.Context, touched []string) error {
	w := &walk{ctx: ctx, root: s.entries, lists: map[string][]fs.DirEntry{}, scopes: map[string]bool{}}
	err := w.run(touched)
	if s.cache != nil {
		s.cache.loading.Wait()
	}
	if err != nil {
		return err
	}
	last := s.Snapshot()
	stale := s.stale(w.files, touched)
	done := 0
	s.emptied = nil
	changed := map[string]*format.Entry{}
	for _, part := range s.parts(stale) {
		if s.partly != nil {
			last, changed = last.Replace(changed, last.Skipped()), map[string]*format.Entry{}
			s.partly(last, done, len(stale))
		}
		results := make([]reading, len(part))
		tree.Each(len(part), 2, func(i int) {
			if ctx.Err() == nil {
				results[i] = s.load(part[i], last)
			}
		})
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, f := range part {
			changed[f.path] = results[i].entry
			s.seen[f.path] = results[i].look
			if results[i].size < 0 && results[i].entry != nil {
				s.emptied = append(s.emptied, f.path)
			}
		}
		done += len(part)
	}
	next := last.Replace(changed, s.account(last, w, changed))
	if uses := s.loadUsage(); !maps.Equal(uses, next.Counters()) {
		next = next.WithUsage(uses)
	}
	if late := s.loadLate(); !slices.Equal(late, next.LateSaves()) {
		next = next.WithLate(late)
	}
	s.snapshot.Store(next)
	return nil
}

// stale lists the files to read.
func (s *Store) stale(files []file, touched []string) []file {
	named := make(map[string]bool, len(touched))
	for _, p := range touched {
		named[p] = true
	}
	var out []file
	for _, f := range files {
		old, known := s.seen[f.path]
		if !known || !old.same(f.stamp) || named[f.path] {
			out = append(out, f)
		}
	}
	return out
}

// account forgets what the walk did not find where it looked, in changed too, and
// returns the list of skipped files as it is now.
func (s *Store) account(last *tree.Snapshot, w *walk, changed map[string]*format.Entry) []tree.Skipped {
	skipped := w.skipped
	found := make(map[string]bool, len(w.files))
	for _, f := range w.files {
		found[f.path] = true
		if reason := s.seen[f.path].skipped; reason != "" {
			skipped = append(skipped, tree.Skipped{f.path, reason})
		}
	}
	forget := func(p string) {
		if !found[p] {
			delete(s.seen, p)
		}
	}
	for scope := range w.scopes {
		for _, e := range last.At(scope) {
			if forget(e.Path); !found[e.Path] {
				changed[e.Path] = nil
			}
		}
	}
	for _, k := range last.Skipped() {
		if w.looked(k.Path) {
			forget(k.Path)
		} else {
			skipped = append(skipped, k)
		}
	}
	slices.SortFunc(skipped, func(a, b tree.Skipped) int { return strings.Compare(a.Path, b.Path) })
	return skipped
}

// reading is what became of one file.
type reading struct {
	look
	entry *format.Entry // nil if the file is gone or skipped
}

// load reads one file and parses it, unless the cache or the last snapshot knows
// what that gives.
func (s *Store) load(f file, last *tree.Snapshot) reading {
	r := reading{look: look{stamp: f.stamp}}
	if s.cache != nil {
		if e, read, ok := s.cache.entry(f); ok {
			r.read, r.entry = read, e
			return r
		}
	}
	r.read = s.now()
	data, err := s.entries.ReadFile(path.Join(tree.Dir, f.path), format.MaxFileSize)
	switch {
	case errors.Is(err, jail.ErrTooLarge):
		r.skipped = fmt.Sprintf("%d%s%d", f.size, format.OverLimit, format.MaxFileSize)
	case errors.Is(err, fs.ErrNotExist):
		r.size = -1 // look again the next time
	case err != nil:
		r.skipped = strings.TrimPrefix(err.Error(), tree.Dir+"/")
	case unreadable(data) != "":
		r.skipped = unreadable(data)
	case len(data) == 0 && tree.TextAt(last, f.path) != "" && s.within(settles, f.mod):
		r.entry, _ = last.Entry(f.path)
		r.size = -1
	default:
		if old, ok := last.Entry(f.path); ok && old.Text == string(data) {
			r.entry = old
		} else {
			r.entry = format.Parse(f.path, string(data))
		}
	}
	return r
}

// unreadable says why a file's bytes are no entry, "" if they are one.
func unreadable(data []byte) string {
	switch {
	case bytes.IndexByte(data, 0) >= 0:
		return "binary: it holds NUL bytes"
	case !utf8.Valid(data):
		return "not UTF-8 text"
	}
	return ""
}

// inputs are what operations are planned from besides the tree.
func (s *Store) inputs(marks bool) (in plan.Inputs) {
	if s.collect != nil {
		in = s.collect(marks)
	}
	in.Now = plan.Stamp(s.now())
	return in
}
