package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/retrieval"
)

// The bounds of limits. They are far above what is of use, and keep one request from taking
// the memory or the time of all others.
const (
	MaxPack     = 1_000_000 // tokens
	maxDeadline = 10 * time.Minute
)

// Limits bound an answer: what it costs its reader, and when it is there.
type Limits struct {
	BudgetTokens int `json:"budgetTokens,omitempty"` // the most tokens (o200k_base) of what the answer holds; 0: no bound
	DeadlineMs   int `json:"deadlineMs,omitempty"`   // answer by then with the best so far; 0: no deadline
}

// check refuses limits that are out of bounds.
func (l Limits) check() error {
	if l.BudgetTokens < 0 || l.BudgetTokens > MaxPack {
		return wrongField("budgetTokens", "%d; it is 1 to %d, or 0 for no bound", l.BudgetTokens, MaxPack)
	}
	return checkDeadline(l.DeadlineMs)
}

// checkDeadline refuses a deadline that is out of bounds.
func checkDeadline(ms int) error {
	if ms < 0 || ms > int(maxDeadline.Milliseconds()) {
		return wrongField("deadlineMs", "%d; it is 0 to %d", ms, maxDeadline.Milliseconds())
	}
	return nil
}

// haste is the time that a request leaves, and what its answer does without because of it.
type haste struct {
	whole    context.Context // the request's own
	prompt   context.Context // ends before the deadline does, by what it takes to answer with what is there
	degraded []string
}

// hurry begins a request. Without a deadline prompt is the request's own context.
func hurry(ctx context.Context, deadlineMs int) (*haste, context.CancelFunc) {
	if deadlineMs <= 0 {
		return &haste{whole: ctx, prompt: ctx}, func() {}
	}
	prompt, cancel := context.WithTimeout(ctx, waiting(time.Duration(deadlineMs)*time.Millisecond))
	return &haste{whole: ctx, prompt: prompt}, cancel
}

// hurryIn begins a request about the tree of a view. Where that is not whole yet, the answer
// says so, and a request that names no deadline gets one.
func hurryIn(ctx context.Context, v *View, deadlineMs int) (*haste, context.CancelFunc) {
	missing, partial := v.Partial()
	if !partial {
		return hurry(ctx, deadlineMs)
	}
	h, done := hurry(ctx, cmp.Or(deadlineMs, int(partialAnswer.Milliseconds())))
	h.degraded = []string{missing}
	return h, done
}

// late reports whether the deadline has come while the request itself goes on.
func (h *haste) late() bool { return h.prompt.Err() != nil && h.whole.Err() == nil }

// spare returns err, unless it is the deadline's: then the answer does without what
// failed, and says so.
func (h *haste) spare(what string, err error) error {
	if err == nil || !h.late() {
		return err
	}
	h.degraded = append(h.degraded, without(what, context.DeadlineExceeded))
	return nil
}

// search is the search of a view. At the deadline it is that of the tree as it was when a
// search was ready last, and without one it finds nothing.
func (h *haste) search(v *View) (retrieval.Search, error) {
	search, err := v.Search(h.prompt)
	if err == nil || !h.late() {
		return search, err
	}
	if last := v.LastSearch(); last != nil {
		return last.Search, h.spare(newestEntries, err)
	}
	return noSearch, h.spare(foundBy, err)
}

// newestEntries is what a search does without that is of an earlier tree.
const newestEntries = "the newest changes of entries"

// read is the view with the code as it is now, as [Workspace.readView] has it. At the
// deadline it is what of the code is read.
func (h *haste) read(v *View) (*View, error) {
	w := v.Workspace()
	if err := h.spare(someCode, w.WaitCode(h.prompt)); err != nil {
		return nil, err
	}
	if err := h.spare(newestCode, w.Follow(h.prompt)); err != nil {
		return nil, err
	}
	v, err := v.WithOpenCode(h.prompt)
	if err = h.spare(unsavedCode, err); err != nil && h.whole.Err() == nil {
		v.Logger().Warn("open buffers are not in the code", "err", err)
	}
	return v, h.whole.Err()
}

// affordable is the beginning of a list whose JSON has at most that many tokens; 0 is no
// bound.
func affordable[T any](list []T, budget int) []T {
	if budget <= 0 {
		return list
	}
	for i, item := range list {
		raw, err := json.Marshal(item)
		if budget -= tokens.Count(string(raw)) + 1; err != nil || budget < 0 { // and a comma
			return list[:i]
		}
	}
	return list
}

// cutOff says that a list ends where the budget does.
func cutOff(left int, what string) string {
	return fmt.Sprintf("%d more %s: the budget is used up", left, what)
}

// What an answer may have to do without.
const (
	someCode    = "the code was not read"
	newestCode  = "the newest changes of the code"
	newestLinks = "links between entries and code"
	unsavedCode = "unsaved text of open code files"
	foundBy     = "entries found by their words"
)

// without says what an answer does without, and why.
func without(what string, err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return what + ": reading takes longer than the deadline"
	}
	return what + ": " + err.Error()
}

// maxReserve is what a deadline leaves for the pack itself once all is read: it takes
// below 100 ms at 8,192 tokens (see package pack).
const maxReserve = 100 * time.Millisecond

// waiting is how long a pack may wait for what it is made of.
func waiting(allowed time.Duration) time.Duration { return allowed - min(allowed/2, maxReserve) }

// noSearch finds nothing.
func noSearch(context.Context, retrieval.Query) (retrieval.Result, error) {
	return retrieval.Result{}, nil
}

// someFiles is what an answer does without whose texts are not all read in time.
const someFiles = "the texts of some files"

// partialAnswer is how long a request that names no deadline waits for a search while the
// tree is read, and until the search of all of it is ready for the first time.
const partialAnswer = time.Second
