// Package codemap answers questions about the code alone: an overview, what a file depends on, where a name
// is defined, and what stands around files.
package codemap

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/limits"
	"github.com/brv-lsp/brv-lsp/workspace/locate"
)

// The limits of a map's request.
const (
	DefaultOutline = 2_000   // tokens
	MaxOutline     = 200_000 // tokens; more is no outline any more
	DefaultRanked  = 20      // files
	MaxRanked      = 200     // files; no more have a reason
)

// MapRequest asks for an overview of the code, or for the files that matter for a task or an open file.
type MapRequest struct {
	Task         string `json:"task,omitempty" flag:"task"`
	Path         string `json:"path,omitempty" flag:"file"`           // the open file
	Offset       *int   `json:"offset,omitempty" flag:"line"`         // the cursor in the open file, in bytes; missing: not known
	BudgetTokens int    `json:"budgetTokens,omitempty" flag:"budget"` // the most tokens of the outline; 2,000 if 0, at most 200,000
	Limit        int    `json:"limit,omitempty" flag:"limit"`         // the most ranked files; 20 if 0, at most 200
	Explain      bool   `json:"explain,omitempty" flag:"explain"`     // list the parts of each score
	// after this time, answer from the code that was read; 0: no deadline
	DeadlineMs int `json:"deadlineMs,omitempty"`
}

// Map describes the code of the folder. It waits for the first read of the code.
func Map(ctx context.Context, v *workspace.View, req MapRequest) (*MapResponse, error) {
	q, err := req.query()
	if err != nil {
		return nil, err
	}
	h, done := limits.Begin(ctx, req.DeadlineMs)
	defer done()
	if v, err = h.Read(v); err != nil {
		return nil, err
	}
	code := v.Code()
	if q.File != "" {
		if _, err := locate.KnownFile(code, q.File); err != nil && h.Degraded == nil {
			return nil, err
		} else if err != nil {
			q.File, q.Offset = "", -1 // it may not be read yet
		}
	}
	r := overview(code)
	r.Degraded = h.Degraded
	r.Ranked = []RankedFile{}
	if q.Task != "" || q.File != "" {
		r.rank(code, q, cmp.Or(req.Limit, DefaultRanked), req.Explain)
	}
	r.Note = WithoutSyntax()
	if r.Files == 0 || len(r.Ranked) == 0 && (q.Task != "" || q.File != "") {
		r.Note = strings.Trim(r.Note+"; "+code.LeftOut(), "; ")
	}
	r.BudgetTokens = cmp.Or(req.BudgetTokens, DefaultOutline)
	r.Outline = sanitize.Quote(code.Outline(q, r.BudgetTokens))
	r.OutlineTokens = tokens.Count(r.Outline)
	return r, nil
}

// query checks a request and reads it.
func (req MapRequest) query() (codebase.Query, error) {
	q := codebase.Query{Task: strings.TrimSpace(req.Task), File: req.Path, Offset: -1}
	if req.Offset != nil {
		q.Offset = *req.Offset
	}
	switch {
	case req.BudgetTokens < 0 || req.BudgetTokens > MaxOutline:
		return q, fmt.Errorf("%w: the budget must be 1 to %d tokens", workspace.ErrRequest, MaxOutline)
	case req.Limit < 0 || req.Limit > MaxRanked:
		return q, fmt.Errorf("%w: the limit must be 1 to %d files", workspace.ErrRequest, MaxRanked)
	}
	return q, limits.CheckDeadline(req.DeadlineMs)
}

// rank lists the files that a query is about.
func (r *MapResponse) rank(code *codebase.RepoMap, q codebase.Query, limit int, explain bool) {
	ranked := code.Rank(q)
	r.Matches = len(ranked)
	weights, names := codebase.WeightsFor(q), codebase.SignalNames()
	for _, f := range ranked[:min(len(ranked), limit)] {
		out := RankedFile{Path: f.Path, Score: f.Score, Reason: f.Reason, Demoted: f.Demoted}
		for i := range f.Signals {
			if weighed := f.Signals[i] * weights[i]; explain && weighed > 0 {
				out.Signals = append(out.Signals, CodeSignal{names[i], f.Signals[i], weights[i], weighed})
			}
		}
		slices.SortStableFunc(out.Signals, func(a, b CodeSignal) int { return cmp.Compare(b.Weighed, a.Weighed) })
		r.Ranked = append(r.Ranked, out)
	}
}
