package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// reader reads the folder into snapshots and publishes the latest.
type reader struct {
	*folder
	entries  *jail.Root // for walks, which follow no link, and for the files that they find
	trusted  func() bool
	cache    *cache                                  // nil for none
	partly   func(s *tree.Snapshot, done, total int) // nil except while the store is opened
	snapshot atomic.Pointer[tree.Snapshot]

	mu       sync.Mutex      // held while the folder is read
	seen     map[string]look // every markdown file, by tree path
	counters counters
	quota    quota     // of the last complete walk
	emptied  []string  // entries that are being saved, which were left unchanged
	latest   time.Time // time of the newest change into whose files a program may still write
}

// first reads the whole tree, from the cache if that saves time.
func (r *reader) first(ctx context.Context) error {
	if r.cache != nil {
		r.cache.loading.Go(r.cache.load) // beside the walk over the folders
	}
	_, err := r.Refresh(ctx)
	if r.cache != nil && err == nil {
		r.cache.save(r.Snapshot(), r.seen, r.now())
	}
	return err
}

// Snapshot returns the tree as of the last refresh.
func (r *reader) Snapshot() *tree.Snapshot { return r.snapshot.Load() }

// Refresh looks only at the touched tree paths, files or folders with all below them; without any, or if one
// is "", it looks at everything. There it reads the files whose size or time changed, and touched files in
// any case: two writes within one tick of the file system's clock look the same. It publishes a new snapshot
// if anything changed. After an error the last snapshot stays.
//
// If another process is in the middle of a change of several files, Refresh waits for it; if that process
// died, Refresh finishes the change. So a snapshot never shows half of a change.
func (r *reader) Refresh(ctx context.Context, touched ...string) (*tree.Snapshot, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for range maxRereads {
		if err := r.reread(ctx, touched); err != nil {
			return nil, err
		}
		if !r.journal.Interrupted() || r.trusted != nil && !r.trusted() {
			break
		}
		if _, err := r.journal.Recover(ctx); err != nil {
			break // the folder may be read-only: its present files are shown
		}
		touched = nil // the paths of the unfinished change are not known here
	}
	return r.Snapshot(), nil
}

// maxRereads bounds how often a tree is read again because someone is changing it.
const maxRereads = 3

// reread reads the changed files and publishes them. mu is held.
func (r *reader) reread(ctx context.Context, touched []string) error {
	w := &walk{ctx: ctx, root: r.entries, lists: map[string][]fs.DirEntry{}, scopes: map[string]bool{},
		quota: quota{most: r.quota.most}}
	err := w.run(touched)
	last, kept := r.Snapshot(), (*tree.Snapshot)(nil)
	if r.cache != nil {
		r.cache.loading.Wait()
		if kept = r.cache.take(r.seen); kept != nil {
			last = kept
		}
	}
	if err != nil {
		return err
	}
	if w.scopes[""] {
		r.quota = w.quota
	}
	w.skipped = append(w.skipped, w.quota.skipped()...)
	stale := r.stale(w.files, touched)
	if kept != nil && r.partly != nil {
		last = r.sure(kept, w.files, stale)
	}
	done := 0
	r.emptied = nil
	changed := map[string]*format.Entry{}
	for _, part := range r.parts(stale) {
		if r.partly != nil {
			last, changed = last.Replace(changed, last.Skipped()), map[string]*format.Entry{}
			r.partly(last, done, len(stale))
		}
		results := make([]reading, len(part))
		tree.Each(len(part), 2, func(i int) {
			if ctx.Err() == nil {
				results[i] = r.load(part[i], cmp.Or(kept, last))
			}
		})
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, f := range part {
			changed[f.path] = results[i].entry
			r.seen[f.path] = results[i].look
			if kept != nil && !r.cache.own && results[i].entry != nil && results[i].entry == entryOf(kept, f.path) {
				r.cache.kept[f.path] = f.stamp
			}
			if results[i].size < 0 && results[i].entry != nil {
				r.emptied = append(r.emptied, f.path)
			}
		}
		done += len(part)
	}
	next := last.Replace(changed, r.account(last, w, changed))
	r.snapshot.Store(next.WithUsage(r.counters.load(next.Counters())).WithLate(r.loadLate()))
	return nil
}

// sure is a snapshot to keep, without files that are gone or must be read again.
func (r *reader) sure(kept *tree.Snapshot, files, stale []file) *tree.Snapshot {
	unsure := make(map[string]*format.Entry, kept.Len())
	for _, e := range kept.Entries() {
		unsure[e.Path] = nil
	}
	for _, f := range files {
		delete(unsure, f.path)
	}
	for _, f := range stale {
		unsure[f.path] = nil
	}
	return kept.Update(unsure)
}

// partial reports whether files are left that are not read.
func (r *reader) partial() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.quota.left) > 0
}

// stale lists the files to read.
func (r *reader) stale(files []file, touched []string) []file {
	named := make(map[string]bool, len(touched))
	for _, p := range touched {
		named[p] = true
	}
	var out []file
	for _, f := range files {
		old, known := r.seen[f.path]
		if !known || !old.same(f.stamp) || named[f.path] {
			out = append(out, f)
		}
	}
	return out
}

// account drops the files, also from changed, that the walk did not find where it looked, and returns the
// present list of skipped files.
func (r *reader) account(last *tree.Snapshot, w *walk, changed map[string]*format.Entry) []tree.Skipped {
	skipped := w.skipped
	found := make(map[string]bool, len(w.files))
	for _, f := range w.files {
		found[f.path] = true
		if reason := r.seen[f.path].skipped; reason != "" {
			skipped = append(skipped, tree.Skipped{Path: f.path, Reason: reason, Size: int(f.size)})
		}
	}
	forget := func(p string) {
		if !found[p] {
			delete(r.seen, p)
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

// reading is the result of reading one file.
type reading struct {
	look
	entry *format.Entry // nil if the file is gone or skipped
}

// load reads and parses one file, unless a snapshot already has the result for its text.
func (r *reader) load(f file, known *tree.Snapshot) reading {
	got := reading{look: look{stamp: f.stamp}}
	got.read = r.now()
	data, err := r.entries.ReadFile(path.Join(tree.Dir, f.path), format.MaxFileSize)
	switch {
	case errors.Is(err, jail.ErrTooLarge):
		got.skipped = fmt.Sprintf("it has %d bytes (limit: %d)", f.size, format.MaxFileSize)
	case errors.Is(err, fs.ErrNotExist):
		got.size = -1 // look again the next time
	case err != nil:
		got.skipped = strings.TrimPrefix(err.Error(), tree.Dir+"/")
	case unreadable(data) != "":
		got.skipped = unreadable(data)
	case len(data) == 0 && tree.TextAt(r.Snapshot(), f.path) != "" && r.within(settles, f.mod):
		got.entry, _ = r.Snapshot().Entry(f.path)
		got.size = -1
	default:
		if got.entry = entryOf(known, f.path); got.entry == nil || got.entry.Text != string(data) {
			got.entry = format.Parse(f.path, string(data))
		}
	}
	return got
}

func entryOf(s *tree.Snapshot, p string) *format.Entry {
	e, _ := s.Entry(p)
	return e
}

// loadLate reads the list of late saves. mu is held.
func (r *reader) loadLate() []tree.LateSave {
	saved, latest, err := r.journal.Saved()
	if err != nil {
		return r.Snapshot().LateSaves()
	}
	r.latest = latest
	var out []tree.LateSave
	for _, t := range saved {
		if at, ok := cutDir(t.Path); ok {
			out = append(out, tree.LateSave{Name: t.Name, Path: at, Of: t.ID, Time: t.ModTime.UTC(), Size: len(t.Data)})
		}
	}
	return out
}

// parts cuts a list of files into parts; into a single one if no caller wants parts.
func (r *reader) parts(files []file) [][]file {
	var out [][]file
	if r.partly != nil {
		for n := firstPart; len(files) > n; n *= partGrowth {
			out = append(out, files[:n])
			files = files[n:]
		}
	}
	return append(out, slices.Clip(files))
}

// show publishes a committed change. It cannot be cancelled, since the change is done.
func (r *reader) show(ctx context.Context, h txn.Header) error {
	files := changedFiles(h)
	if len(files) == 0 {
		r.refreshUsage()
		return nil
	}
	r.mu.Lock()
	r.counters.changed()
	r.mu.Unlock()
	_, err := r.Refresh(context.WithoutCancel(ctx), files...)
	return err
}

// refreshUsage publishes a snapshot with the newest counters.
func (r *reader) refreshUsage() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counters.changed()
	r.snapshot.Store(r.Snapshot().WithUsage(r.counters.load(r.Snapshot().Counters())))
}

// SetCommits sets the times, according to git, since which the entries at these paths have their present
// content.
func (r *reader) SetCommits(at map[string]time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.snapshot.Store(r.Snapshot().WithCommits(at))
}

// LookAgain returns when tree paths should be refreshed even if no change is reported: an entry that is being
// saved was left unchanged, or a program may still write into a file that was replaced. It is 0 if there is
// no need. The interval grows with the time since the change.
func (r *reader) LookAgain() (after time.Duration, paths []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case len(r.emptied) > 0:
		return settles, slices.Clone(r.emptied)
	case r.latest.IsZero():
		return 0, nil
	}
	// One file: late saves are looked for in any case.
	return max(settles, r.now().Sub(r.latest)), []string{format.SummaryFile}
}
