// Package limits bounds the size and the time of an answer: budgets of tokens, and deadlines at which an
// answer leaves out data that is not ready, and reports that.
package limits

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// The upper bounds of limits. They are far above any useful value, and keep one request from using up the
// memory or the time for all others.
const (
	MaxPack     = 1_000_000 // tokens
	maxDeadline = 10 * time.Minute
)

// Limits bound an answer: what it costs its reader, and when it is there.
type Limits struct {
	BudgetTokens int `json:"budgetTokens,omitempty"` // the most tokens (o200k_base) of the answer; 0: no limit
	DeadlineMs   int `json:"deadlineMs,omitempty"`   // after this time, return the best result so far; 0: no deadline
}

// Check refuses limits that are out of bounds.
func (l Limits) Check() error {
	if l.BudgetTokens < 0 || l.BudgetTokens > MaxPack {
		return workspace.WrongField("budgetTokens", "must be 1 to %[2]d, or 0 for no limit, but is %[1]d", l.BudgetTokens, MaxPack)
	}
	return CheckDeadline(l.DeadlineMs)
}

// CheckDeadline refuses a deadline that is out of bounds.
func CheckDeadline(ms int) error {
	if ms < 0 || ms > int(maxDeadline.Milliseconds()) {
		return workspace.WrongField("deadlineMs", "must be 0 to %[2]d, not %[1]d", ms, maxDeadline.Milliseconds())
	}
	return nil
}

// Deadline is the time limit of a request, with the parts that its answer leaves out because of it.
type Deadline struct {
	Request  context.Context // the request's own
	Prompt   context.Context // ends before the deadline does, by what it takes to answer with what is there
	Degraded []string
}

// Begin begins a request. Without a deadline prompt is the request's own context.
func Begin(ctx context.Context, deadlineMs int) (*Deadline, context.CancelFunc) {
	if deadlineMs <= 0 {
		return &Deadline{Request: ctx, Prompt: ctx}, func() {}
	}
	prompt, cancel := context.WithTimeout(ctx, waiting(time.Duration(deadlineMs)*time.Millisecond))
	return &Deadline{Request: ctx, Prompt: prompt}, cancel
}

// BeginIn begins a request about the tree of a view. If the tree is not complete yet, or its search was never
// ready, the answer reports that, and a request without a deadline gets one.
func BeginIn(ctx context.Context, v *workspace.View, deadlineMs int) (*Deadline, context.CancelFunc) {
	missing, partial := v.Partial()
	if !partial {
		return Begin(ctx, deadlineMs)
	}
	h, done := Begin(ctx, cmp.Or(deadlineMs, int(time.Duration(workspace.Answer).Milliseconds())))
	h.Degraded = []string{missing}
	return h, done
}

// Exceeded reports whether the deadline has come while the request itself goes on.
func (h *Deadline) Exceeded() bool { return h.Prompt.Err() != nil && h.Request.Err() == nil }

// Spare returns err, unless it is the deadline's: then the failed part is left out of the answer and
// reported.
func (h *Deadline) Spare(what string, err error) error {
	if err == nil || !h.Exceeded() {
		return err
	}
	h.Degraded = append(h.Degraded, Without(what, context.DeadlineExceeded))
	return nil
}

// Search is the search of a view. At the deadline it is the last search that was ready, of an earlier tree;
// without one it finds nothing.
func (h *Deadline) Search(v *workspace.View) (retrieval.Search, error) {
	search, err := v.Search(h.Prompt)
	if err == nil || !h.Exceeded() {
		return search, err
	}
	if last := v.LastSearch(); last != nil {
		return last.Search, h.Spare(NewestEntries, err)
	}
	return NoSearch, h.Spare(FoundBy, err)
}

// Documents names the missing part where documents take too long to read.
const Documents = "documents are missing"

// Reasons names the missing part where messages of commits take too long to read.
const Reasons = "commit messages are missing"

// NewestEntries names the missing part of a search in an earlier tree.
const NewestEntries = "the newest changes of entries are missing"

// Read returns the view with the current code, like [workspace.View.Complete]. At the deadline it returns the
// view with the code that was read so far.
func (h *Deadline) Read(v *workspace.View) (*workspace.View, error) {
	w := v.Workspace()
	if err := h.Spare(SomeCode, w.WaitCode(h.Prompt)); err != nil {
		return nil, err
	}
	if err := h.Spare(NewestCode, w.Follow(h.Prompt)); err != nil {
		return nil, err
	}
	v, err := v.WithOpenCode(h.Prompt)
	if err = h.Spare(UnsavedCode, err); err != nil && h.Request.Err() == nil {
		v.Logger().Warn("unsaved code was not read", "err", err)
	}
	return v, h.Request.Err()
}

// Affordable is the longest beginning of a list whose JSON has at most that many tokens; 0 means no bound.
func Affordable[T any](list []T, budget int) []T {
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

// CutOff states that a list was cut by the budget.
func CutOff(left int, what string) string {
	return fmt.Sprintf("%d more %s left out: the budget is used up", left, what)
}

// The parts that an answer may leave out.
const (
	SomeCode    = "the code was not read"
	NewestCode  = "the newest changes of the code are missing"
	NewestLinks = "links between entries and code are missing"
	UnsavedCode = "unsaved text of open code files is missing"
	FoundBy     = "entries were not searched"
	History     = "git history was not used"
)

// Without returns the message that an answer lacks a part, with the reason.
func Without(what string, err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return what + ": the deadline passed"
	}
	return what + ": " + err.Error()
}

// maxReserve is the part of a deadline kept for the pack itself once all is read: it takes
// below 100 ms at 8,192 tokens (see package pack).
const maxReserve = 100 * time.Millisecond

// waiting is how long a pack may wait for its data.
func waiting(allowed time.Duration) time.Duration { return allowed - min(allowed/2, maxReserve) }

// SearchAll is Search that also covers the documents of the folder, if they are read by the deadline.
func (h *Deadline) SearchAll(v *workspace.View, question string) (retrieval.Search, error) {
	in, err := workspace.Knowledge(h.Prompt, v, question)
	if err == nil && in.Documents != nil {
		var search retrieval.Search
		if search, err = in.Open(h.Prompt); err == nil {
			return search, nil
		}
	}
	if err != nil && h.Spare(Documents, err) != nil {
		v.Logger().Warn("documents were not searched", "err", err)
	}
	return h.Search(v)
}

// NoSearch finds nothing.
func NoSearch(context.Context, retrieval.Query) (retrieval.Result, error) {
	return retrieval.Result{}, nil
}

// SomeFiles names the missing part where not all texts are read in time.
const SomeFiles = "the texts of some files are missing"
