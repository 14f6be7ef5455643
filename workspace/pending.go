package workspace

import (
	"slices"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// reviewsDir is where the tree keeps what waits for a decision. Each change makes or
// removes a file in it, so that its time tells whether what was read is still so.
const reviewsDir = ".brv/state/review"

// pendingItem is one operation that waits, with its batch.
type pendingItem struct {
	plan.ReviewItem
	Batch int
	cut   bool // its difference is longer than what is shown of it
}

// reviewed are the reviews as they were read last.
type reviewed struct {
	mu    sync.Mutex // guards the fields below
	known bool
	at    time.Time // the folder's time when they were read
	items []pendingItem
}

// pending lists what waits for a decision and concerns an entry. It reads the reviews
// again where their folder changed; one that cannot be read waits for nobody.
func (w *Workspace) pending(entry string) []pendingItem {
	var at time.Time
	if info, err := w.root.Stat(reviewsDir); err == nil {
		at = info.ModTime()
	}
	r := &w.reviewed
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.known || !r.at.Equal(at) {
		r.known, r.at, r.items = true, at, w.readPending()
	}
	return slices.DeleteFunc(slices.Clone(r.items), func(item pendingItem) bool {
		return item.Path != entry && !slices.Contains(item.Files, entry) && !concerned(item.Base, entry)
	})
}

func concerned(base map[string]string, entry string) bool {
	_, ok := base[entry]
	return ok
}

func (w *Workspace) readPending() (out []pendingItem) {
	store, err := w.writable()
	if err != nil {
		return nil
	}
	list, err := store.Reviews()
	if err != nil {
		w.opts.Log.Warn("what waits for a review", "err", err)
	}
	for _, r := range list {
		for _, item := range r.Items {
			cut := tooLong(item)
			item.Diff, item.Op.Content = "", format.Content{} // not needed, and may be large
			out = append(out, pendingItem{item, r.Batch, cut})
		}
	}
	return out
}

// forgetPending has the reviews read again: two changes within the resolution of the
// folder's time look like one.
func (w *Workspace) forgetPending() {
	w.reviewed.mu.Lock()
	defer w.reviewed.mu.Unlock()
	w.reviewed.known = false
}
