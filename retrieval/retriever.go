package retrieval

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/cachefile"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/panics"
	"github.com/brv-lsp/brv-lsp/retrieval/meaning"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Meaning stores the vectors of texts.
type Meaning = meaning.Store

// Options configure a Retriever.
type Options struct {
	// Cache is a folder for what can be made again, outside the tree; "" keeps the index
	// in memory only. Projects and processes may share it.
	Cache string
	Root  string // the project's folder: distinguishes its index in Cache from others
	Kind  string // distinguishes indexes of one folder; "search" if ""
	// Meaning returns the store of an encoder's vectors, and is called at each search; it may be nil or
	// return nil if there is none. The store reads the entries in the background.
	Meaning func() *Meaning
}

// Retriever keeps a search index in step with a tree. Its methods may be called
// by any number of goroutines.
type Retriever struct {
	options Options

	minSaved int // see [minSavedText]

	stop  context.CancelFunc
	ctx   context.Context // ends with Close; only the background rebuild runs under it
	tasks sync.WaitGroup

	mu       sync.Mutex // guards what follows
	store    *segments  // nil before the first Sync
	current  *Index
	building bool
	closed   bool
	learning chan struct{} // closed when the encoder has read the entries, or failed; nil: it is not reading
}

// ErrClosed is returned by Sync after Close.
var ErrClosed = errors.New("retriever is closed")

// New returns a Retriever over an empty tree.
func New(o Options) (*Retriever, error) {
	ctx, stop := context.WithCancel(context.Background())
	return &Retriever{options: o, minSaved: minSavedText, ctx: ctx, stop: stop}, nil
}

// Close ends the background work; it waits for a base that is being saved. Indexes
// already handed out stay valid.
func (r *Retriever) Close() error {
	r.stop()
	r.mu.Lock()
	r.closed = true
	r.store, r.current = nil, nil
	r.mu.Unlock()
	r.tasks.Wait()
	return nil
}

// Sync returns the index of a snapshot. Only entries whose path or content hash
// changed since the last call are analysed; for an unchanged tree the last index
// is returned. The result never changes, whatever later calls do.
func (r *Retriever) Sync(ctx context.Context, snap *tree.Snapshot) (*Index, error) {
	return r.sync(ctx, snap, false)
}

// sync is Sync. For a part of a tree that is still being read, nothing is saved, and no base is built that
// the next part would replace.
func (r *Retriever) sync(ctx context.Context, snap *tree.Snapshot, part bool) (_ *Index, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, ErrClosed
	}
	entries := snap.Entries()
	if r.store != nil && r.store.base.damaged.Load() {
		r.store, r.current = nil, nil
		if r.options.Cache != "" {
			r.file().Remove()
		}
	}
	var c change
	if r.store != nil {
		c = r.store.diff(entries)
	}
	if r.store == nil || len(c.put) > max(minWorn, r.store.whole.size/2) { // as after a part: in the delta it would be read twice
		if r.store, err = r.first(ctx, entries, part); err != nil {
			return nil, err
		}
		r.current, c = nil, r.store.diff(entries)
	}
	if err := r.store.apply(ctx, c, entries); err != nil {
		return nil, err
	}
	if c.empty() && r.current != nil {
		r.current = r.current.over(snap)
		return r.current, nil
	}
	r.current = newIndex(snap, r.store, c.samePaths(r.current))
	r.current.learn = r.learn
	if !part {
		r.rebuildIfWorn()
		r.startLearning()
	}
	return r.current, nil
}

// first returns a store to start with: from the saved base if that mostly fits, else a new one. For a part of
// a tree it is empty, and all entries go into the delta.
func (r *Retriever) first(ctx context.Context, entries []*format.Entry, part bool) (*segments, error) {
	if r.options.Cache != "" && textSize(entries) >= r.minSaved {
		if b, docs, err := savedBase(r.file(), entries); err == nil {
			if s := newStore(b, docs); 2*s.whole.size > len(entries) {
				return s, nil
			}
		}
	}
	if part {
		return newStore(&base{lists: newLists()}, nil), nil
	}
	s, err := buildStore(ctx, entries)
	if err == nil {
		r.save(s)
	}
	return s, err
}

// save saves the base of a fresh store in the background. If that fails, the index is only in memory, and the
// next process has to build it again.
func (r *Retriever) save(s *segments) {
	if r.options.Cache == "" || textSize(s.seen) < r.minSaved {
		return
	}
	b, docs := s.base, s.docs
	r.tasks.Go(func() {
		_ = panics.Try(func() error { b.save(r.file(), docs); return nil })
	})
}

func (r *Retriever) file() cachefile.File {
	if r.options.Kind != "" {
		return cachefile.Of(r.options.Cache, r.options.Kind, r.options.Root)
	}
	return savedFile(r.options.Cache, r.options.Root)
}

// rebuildIfWorn starts building a fresh store in the background once the current
// one has changed too much. The lock is held.
func (r *Retriever) rebuildIfWorn() {
	if r.building || !r.store.worn() {
		return
	}
	r.building = true
	worn := r.store
	entries := worn.seen
	r.tasks.Go(func() { r.rebuild(worn, entries) })
}

// rebuild builds a store to replace the worn one, and applies the changes made meanwhile. If these were so
// many that the new store is worn itself, as when a tree is read in parts, the next rebuild follows at once
// instead of at the next change, which is a user's keystroke. If it fails, the worn store is kept.
func (r *Retriever) rebuild(worn *segments, entries []*format.Entry) {
	err := panics.Try(func() error {
		fresh, err := buildStore(r.ctx, entries)
		if err == nil {
			r.save(fresh)
		}
		for err == nil && !r.replace(worn, fresh) {
			err = r.catchUp(worn, fresh)
		}
		return err
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.building = false
	if err == nil && !r.closed {
		r.rebuildIfWorn()
	}
}

// fewChanges is the number of changed entries that may be applied while callers wait.
const fewChanges = 16

// replace puts fresh in the place of worn unless it lags behind too far. It reports
// whether there is nothing more to do.
func (r *Retriever) replace(worn, fresh *segments) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.store != worn || r.closed {
		return true
	}
	c := fresh.diff(worn.seen)
	if len(c.put) > fewChanges {
		return false
	}
	if fresh.apply(r.ctx, c, worn.seen) == nil {
		r.store, r.current = fresh, newIndex(r.current.snap, fresh, r.current)
		r.current.learn = r.learn
	}
	return true
}

func (r *Retriever) catchUp(worn, fresh *segments) error {
	r.mu.Lock()
	seen := worn.seen
	r.mu.Unlock()
	return fresh.apply(r.ctx, fresh.diff(seen), seen)
}

// learn returns the store of vectors, nil if there is none, and starts the reading of new entries. It waits
// for that for the given time.
func (r *Retriever) learn(ctx context.Context, wait time.Duration) *meaning.Store {
	if r.options.Meaning == nil {
		return nil
	}
	s := r.options.Meaning()
	if s == nil {
		return nil
	}
	r.mu.Lock()
	r.startLearning()
	learning := r.learning
	r.mu.Unlock()
	if learning != nil && wait > 0 {
		ctx, stop := context.WithTimeout(ctx, wait)
		defer stop()
		select {
		case <-learning:
		case <-ctx.Done():
		}
	}
	return s
}

// startLearning starts the reading unless it is under way or there is nothing to read. The lock is held.
func (r *Retriever) startLearning() {
	if r.learning != nil || r.closed || r.current == nil || r.options.Meaning == nil {
		return
	}
	s := r.options.Meaning()
	if s == nil || s.Resting() || !slices.ContainsFunc(r.current.docs, func(d *doc) bool { return d != nil && !d.meantBy(s) }) {
		return
	}
	over := make(chan struct{})
	r.learning = over
	r.tasks.Go(func() {
		defer close(over)
		err := panics.Try(func() error { return r.teach(s) })
		s.Save()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.learning = nil
		if err == nil { // what came meanwhile
			r.startLearning()
		}
	})
}

// teach makes the encoder read the present entries.
func (r *Retriever) teach(s *meaning.Store) error {
	r.mu.Lock()
	docs := r.current.docs
	r.mu.Unlock()
	type unit struct {
		*doc
		texts []string
		at    []markdown.Span
	}
	var open []unit
	expected := 0
	for _, d := range docs {
		if d == nil || d.meantBy(s) {
			continue
		}
		if r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		texts, at := windows(d.entry)
		if known, ok := s.Of(texts); ok {
			d.meant.Store(&meant{s, known, at})
			continue
		}
		open = append(open, unit{d, texts, at})
		expected += len(texts)
	}
	s.Expect(expected)
	for len(open) > 0 {
		if r.options.Meaning() != s { // another encoder, or trust ended
			return nil
		}
		n, texts := 0, []string(nil)
		for n < len(open) && (n == 0 || len(texts)+len(open[n].texts) <= meaning.Batch) {
			texts = append(texts, open[n].texts...)
			n++
		}
		if err := s.Learn(r.ctx, texts); err != nil {
			return err
		}
		for _, u := range open[:n] {
			known, _ := s.Of(u.texts)
			u.meant.Store(&meant{s, known, u.at})
		}
		open = open[n:]
	}
	return nil
}
