package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/seal"
	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

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
	f := &folder{root: root.WithoutLinks(), seal: o.Seal, now: o.Now}
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
	s := &Store{folder: f, counters: counters{folder: f}, Sidecar: &Sidecar{f}, entries: root, trusted: o.Trusted, collect: o.Inputs, partly: o.Partly,
		seen: map[string]look{}}
	if s.wait = o.Wait; s.wait == nil {
		s.wait = pause
	}
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
	if uses := s.counters.load(next.Counters()); !maps.Equal(uses, next.Counters()) {
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
			skipped = append(skipped, tree.Skipped{Path: f.path, Reason: reason})
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

// loadLate reads which texts were written too late. mu is held.
func (s *Store) loadLate() []tree.LateSave {
	saved, latest, err := s.journal.Saved()
	if err != nil {
		return s.Snapshot().LateSaves()
	}
	s.latest = latest
	var out []tree.LateSave
	for _, t := range saved {
		if at, ok := cutDir(t.Path); ok {
			out = append(out, tree.LateSave{Name: t.Name, Path: at, Of: t.ID, Time: t.ModTime.UTC(), Size: len(t.Data)})
		}
	}
	return out
}

// parts cuts a list of files into those of each part; one where nobody asks for parts.
func (s *Store) parts(files []file) [][]file {
	var out [][]file
	if s.partly != nil {
		for n := firstPart; len(files) > n; n *= partGrowth {
			out = append(out, files[:n])
			files = files[n:]
		}
	}
	return append(out, slices.Clip(files))
}

// show publishes what was committed. It is not cancelled: what is done is done.
func (s *Store) show(ctx context.Context, h txn.Header) error {
	files := changedFiles(h)
	if len(files) == 0 {
		return s.refreshUsage()
	}
	s.mu.Lock()
	s.counters.changed()
	s.mu.Unlock()
	_, err := s.Refresh(context.WithoutCancel(ctx), files...)
	return err
}
