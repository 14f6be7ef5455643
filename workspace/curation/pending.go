package curation

import (
	"slices"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// reviewsDir is the tree's folder of reviews. Each change creates or deletes a file in it, so that its time
// shows whether the data read before are still valid.
const reviewsDir = ".brv/state/review"

// pendingItem is one operation that waits, with its batch.
type pendingItem struct {
	plan.ReviewItem
	Batch int
	cut   bool // its difference is longer than the shown part
}

// reviewed are the reviews as last read.
type reviewed struct {
	mu       sync.Mutex // guards the fields below
	known    bool
	at       time.Time // the folder's time when they were read
	revision int64     // likewise: two changes within the resolution of that time look like one
	items    []pendingItem
}

// reviews are the reviews of the open folders.
var reviews = workspace.NewMemory(func(*workspace.Workspace) *reviewed { return &reviewed{} })

// PendingItems lists the waiting operations that concern an entry. It reads the reviews again if their folder
// changed; unreadable ones are skipped.
func PendingItems(v *workspace.View, entry string) []pendingItem {
	w := v.Workspace()
	var at time.Time
	if info, err := v.Files().Stat(reviewsDir); err == nil {
		at = info.ModTime()
	}
	r := reviews.Of(v)
	r.mu.Lock()
	defer r.mu.Unlock()
	if revision := w.Revision(); !r.known || !r.at.Equal(at) || r.revision != revision {
		r.known, r.at, r.revision, r.items = true, at, revision, readPending(w)
	}
	return slices.DeleteFunc(slices.Clone(r.items), func(item pendingItem) bool {
		return !touches(item.ReviewItem)[entry]
	})
}

// touches lists the entries that an operation changes or depends on.
func touches(item plan.ReviewItem) map[string]bool {
	out := map[string]bool{item.Path: true}
	for _, p := range item.Files {
		out[p] = true
	}
	for p := range item.Base {
		out[p] = true
	}
	return out
}

func readPending(w *workspace.Workspace) (out []pendingItem) {
	store, err := w.Store()
	if err != nil {
		return nil
	}
	list, err := store.Reviews.List()
	if err != nil {
		w.Logger().Warn("waiting reviews cannot be read", "err", err)
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

// Counts are the operations of reviews that concern an entry.
type Counts struct {
	Waiting    int // nothing is changed yet
	Unreviewed int // already done, to be looked at
}

// PendingCounts returns, for each entry, the number of waiting operations that concern it.
func PendingCounts(v *workspace.View) map[string]Counts {
	PendingItems(v, "") // reads them where they changed
	r := reviews.Of(v)
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]Counts{}
	for _, item := range r.items {
		for p := range touches(item.ReviewItem) {
			n := out[p]
			if item.Held {
				n.Waiting++
			} else {
				n.Unreviewed++
			}
			out[p] = n
		}
	}
	return out
}

// Pending holds the pending operations of one batch about an entry.
type Pending struct {
	Batch int
	Paths []string // by which it is decided
	Held  int      // operations that wait; the others are done already and should be looked at
	Cut   bool     // [ReviewText] does not show all of it
}

// PendingOn returns the pending changes of an entry, oldest first, and the place of the entry's title.
func PendingOn(v *workspace.View, entry string) (all []Pending, at markdown.Span) {
	for _, item := range PendingItems(v, entry) {
		if len(all) == 0 || all[len(all)-1].Batch != item.Batch {
			all = append(all, Pending{Batch: item.Batch})
		}
		of := &all[len(all)-1]
		of.Paths, of.Cut = append(of.Paths, item.Path), of.Cut || item.cut
		if item.Held {
			of.Held++
		}
	}
	if e, ok := v.Tree().Entry(entry); ok {
		at, _ = e.TitleAt()
	}
	return all, at
}
