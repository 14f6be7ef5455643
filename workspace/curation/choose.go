package curation

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/glob"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/store"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// ReviewsResponse lists what waits for a decision.
type ReviewsResponse struct {
	Reviews []store.Review `json:"reviews"` // the reviews, oldest first
}

// Reviews lists the operations that wait for a decision.
func Reviews(_ context.Context, w *workspace.Workspace, _ struct{}) (*ReviewsResponse, error) {
	st, err := w.Store()
	if err != nil {
		return nil, err
	}
	list, err := st.Reviews.List()
	if list == nil {
		list = []store.Review{}
	}
	return &ReviewsResponse{list}, err
}

// BatchRequest names a batch, or some of its changes.
type BatchRequest struct {
	// the number of the batch; for undo, 0 is the newest change or decision that is still in effect
	Batch  int      `json:"batch"`
	Paths  []string `json:"paths,omitempty"`  // paths in the tree; empty: the whole batch
	Which  []string `json:"which,omitempty"`  // for approve and reject: numbers, paths or patterns of changes, instead of `paths`
	But    []string `json:"but,omitempty"`    // for approve and reject: changes to leave out
	Author string   `json:"author,omitempty"` // the author of the change, for the log
	Reason string   `json:"reason,omitempty" flag:"reason"`
	// Texts maps paths of entries to texts that replace the proposed ones, for approve.
	Texts map[string]string `json:"texts,omitempty"`

	Origin format.Origin `json:"-"` // who wrote the texts, said by the program
}

// Choose returns the items that words select: a tree path; a path with * for any characters, for which a
// folder with a slash is short; or a number or a range of numbers (3-9) in the batch's list. Without words,
// all are selected. All waiting operations on one entry are decided together, and so are selected together.
func Choose(items []plan.ReviewItem, words []string) (chosen []plan.ReviewItem, err error) {
	if len(words) == 0 {
		return items, nil
	}
	picked := make([]bool, len(items))
	for _, word := range words {
		is, found := matcher(word), false
		for i, item := range items {
			if is(item) {
				picked[i], found = true, true
			}
		}
		if !found {
			return nil, noMatch(workspace.Clipped(word))
		}
	}
	paths := map[string]bool{}
	for i, item := range items {
		paths[item.Path] = paths[item.Path] || picked[i]
	}
	for _, item := range items {
		if paths[item.Path] {
			chosen = append(chosen, item)
		}
	}
	return chosen, nil
}

// matcher is the parsed form of a word.
func matcher(word string) func(plan.ReviewItem) bool {
	first, last, several := strings.Cut(word, "-")
	from, err := strconv.Atoi(first)
	if to, wrong := strconv.Atoi(last); err == nil && (!several || wrong == nil) {
		if !several {
			to = from
		}
		return func(i plan.ReviewItem) bool { return i.Number > 0 && from <= i.Number && i.Number <= to }
	}
	if strings.HasSuffix(word, "/") {
		word += "*"
	}
	return func(i plan.ReviewItem) bool {
		ok, _ := glob.Git(word, i.Path, false, false)
		return ok || i.Path == word
	}
}

// Chosen returns the reviews with the items that words select (all without words), of one batch or, if that
// is 0, of any.
func Chosen(list []store.Review, batch int, words []string) (out []store.Review, err error) {
	for _, r := range list {
		if batch != 0 && r.Batch != batch {
			continue
		}
		items, wrong := Choose(r.Items, words)
		if wrong == nil {
			r.Items = items
			out = append(out, r)
		} else if batch != 0 {
			return nil, fmt.Errorf("batch %d: %w", batch, wrong)
		}
	}
	if len(out) > 0 || batch == 0 && len(words) == 0 {
		return out, nil
	}
	if batch != 0 {
		return nil, fmt.Errorf("batch %d has no changes that wait for a review", batch)
	}
	return nil, noMatch(strings.Join(words, ", "))
}

func noMatch(said string) error {
	return fmt.Errorf("%w: no waiting change matches %s; `brv-lsp review list` lists all", workspace.ErrRequest, said)
}

// Resolved returns decisions with the paths that their words select, without those that But excludes. A
// decision without a batch applies to each batch with waiting items that its words select.
func Resolved(ctx context.Context, w *workspace.Workspace, all []BatchRequest, but []string) (out []BatchRequest, err error) {
	r, err := Reviews(ctx, w, struct{}{})
	if err != nil {
		return nil, err
	}
	left := map[string]bool{}
	for _, req := range all {
		reviews, err := Chosen(r.Reviews, req.Batch, req.Paths)
		if err != nil {
			return nil, err
		}
		for _, batch := range reviews {
			next := req
			next.Batch, next.Paths = batch.Batch, nil
			without := spared(batch.Items, but, left)
			for _, item := range batch.Items {
				if !without[item.Path] {
					next.Paths = append(next.Paths, item.Path)
				}
			}
			if len(next.Paths) > 0 {
				out = append(out, next)
			}
		}
	}
	for _, word := range but {
		if !left[word] {
			return nil, fmt.Errorf("%w: --but %s matches none of the chosen changes", workspace.ErrRequest, workspace.Clipped(word))
		}
	}
	if len(out) > 1 && slices.ContainsFunc(but, func(b string) bool { return strings.Trim(b, "0123456789-") == "" }) {
		return nil, fmt.Errorf("%w: --but with a number alone is ambiguous: you chose %d batches. Write BATCH:NUMBER, for example --but 12:3",
			workspace.ErrRequest, len(out))
	}
	return out, nil
}

// named is a decision with the paths that its words select.
func (r BatchRequest) named(ctx context.Context, w *workspace.Workspace) (BatchRequest, error) {
	if len(r.Which)+len(r.But) == 0 {
		return r, nil
	}
	but := r.But
	r.Paths, r.Which, r.But = slices.Concat(r.Paths, r.Which), nil, nil
	all, err := Resolved(ctx, w, []BatchRequest{r}, but)
	if err == nil && len(all) != 1 {
		err = fmt.Errorf("%w: no change is left to decide", workspace.ErrRequest)
	}
	if err != nil {
		return r, err
	}
	return all[0], nil
}

// spared are the selected items of a batch that but excludes; left are the words of but that exclude any.
func spared(chosen []plan.ReviewItem, but []string, left map[string]bool) map[string]bool {
	out := map[string]bool{}
	for _, word := range but {
		if is := matcher(word); slices.ContainsFunc(chosen, is) {
			left[word] = true
			for _, item := range chosen {
				if is(item) {
					out[item.Path] = true
				}
			}
		}
	}
	return out
}

// Group lists the pending items in one folder of a batch.
type Group struct {
	Folder string
	Count  int
}

// Groups are the folders of a batch's items, in order.
func Groups(items []plan.ReviewItem) (out []Group) {
	at := map[string]int{}
	for _, item := range items {
		dir := path.Dir(item.Path)
		i, ok := at[dir]
		if !ok {
			i = len(out)
			at[dir] = i
			out = append(out, Group{Folder: dir})
		}
		out[i].Count++
	}
	slices.SortFunc(out, func(a, b Group) int { return strings.Compare(a.Folder, b.Folder) })
	return out
}

// maxLine bounds the description of an item, in bytes.
const maxLine = 110

// Line describes in one line what an item would do.
func Line(item plan.ReviewItem) string {
	what := item.Op.Reason
	switch {
	case item.Op.Text != "":
		e := format.Parse(item.Path, item.Op.Text)
		what = e.Title
		if said := firstProse(e); e.Summary+said != "" {
			what += ": " + e.Summary + said
		}
	case item.Op.Title != "" && item.Op.Summary != "":
		what = item.Op.Title + ": " + item.Op.Summary
	case item.Op.Title != "":
		what = item.Op.Title + ": " + item.Op.Reason
	}
	return sanitize.Line(strings.Join(strings.Fields(what), " "), maxLine)
}

// fewWords is the most words of a line that is probably a date, an author or a status: a longer line is
// preferred to describe an entry.
const fewWords = 4

// firstProse is the first line of an entry's text that is not a heading, fence or frontmatter and has some
// words, or else the first such line of any length; "" if the entry has a summary.
func firstProse(e *format.Entry) string {
	if e.Summary != "" {
		return ""
	}
	body, first := e.Body.Of(e.Text), ""
	for l := range markdown.Lines(body) {
		s := strings.TrimSpace(l.At.Of(body))
		if level, _ := markdown.Heading(s); l.Fence != markdown.FenceNone || level > 0 || strings.Trim(s, "-=*_ ") == "" {
			continue
		}
		if len(strings.Fields(s)) > fewWords {
			return s
		}
		first = cmp.Or(first, s)
	}
	return first
}

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
