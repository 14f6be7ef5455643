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
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/limits"
	"github.com/brv-lsp/brv-lsp/workspace/locate"
)

// The limits of a map's request and response.
const (
	DefaultOutline = 2_000   // tokens
	MaxOutline     = 200_000 // tokens; more is no outline any more
	DefaultRanked  = 20      // files
	MaxRanked      = 200     // files; no more have a reason
	maxListed      = 50      // entry points, core modules, reasons
	maxSpecs       = 5       // imports or files named for a reason
)

// MapRequest asks for an overview of the code, or with a task or a file for what of
// it matters there.
type MapRequest struct {
	Task         string `json:"task,omitempty"`
	Path         string `json:"path,omitempty"`         // the open file
	Offset       *int   `json:"offset,omitempty"`       // the cursor in it, in bytes; none: not known
	BudgetTokens int    `json:"budgetTokens,omitempty"` // of the outline; 2,000 if 0, at most 200,000
	Limit        int    `json:"limit,omitempty"`        // most ranked files; 20 if 0, at most 200
	Explain      bool   `json:"explain,omitempty"`      // list what each score is made of
	DeadlineMs   int    `json:"deadlineMs,omitempty"`   // answer by then with what of the code is read; 0: no deadline
}

// MapResponse describes the code of a folder.
type MapResponse struct {
	Files       int           `json:"files"`
	Tokens      int           `json:"tokens"` // estimated
	Edges       int           `json:"edges"`  // pairs of files of which one depends on the other
	Languages   []CodeShare   `json:"languages"`
	Types       []CodeShare   `json:"types"`
	EntryPoints []CodeFile    `json:"entryPoints"` // the 50 most important; types has their number
	CoreModules []CodeFile    `json:"coreModules"` // likewise
	Nowhere     []ImportShare `json:"nowhere"`     // imports that lead to no file of the map
	Partial     []CodeDefect  `json:"partial"`     // files of which symbols may be missing, by reason
	Skipped     []CodeDefect  `json:"skipped"`     // source files that could not be read, by reason
	Pending     int           `json:"pending"`     // files whose syntax is still being read
	History     *CodeHistory  `json:"history"`     // null: git is not known

	Matches       int          `json:"matches"` // files that have to do with the task or the open file
	Ranked        []RankedFile `json:"ranked"`  // the best of them
	BudgetTokens  int          `json:"budgetTokens"`
	OutlineTokens int          `json:"outlineTokens"`      // counted exactly (o200k_base); at most BudgetTokens
	Outline       string       `json:"outline"`            // folders, files and symbols: the most relevant or important ones
	Degraded      []string     `json:"degraded,omitempty"` // what is missing because the deadline came first
}

// CodeShare is the part of the code that is of one language or type.
type CodeShare struct {
	Name   string `json:"name"`
	Files  int    `json:"files"`
	Tokens int    `json:"tokens"` // estimated
}

// CodeFile is a file of the map.
type CodeFile struct {
	Path       string  `json:"path"`
	Language   string  `json:"language"`
	Type       string  `json:"type"`
	Tokens     int     `json:"tokens"`     // estimated
	Importance float64 `json:"importance"` // 0–1
	Dependents int     `json:"dependents"` // files that depend on it
}

// ImportShare is the imports that lead nowhere for one reason.
type ImportShare struct {
	Reason  string   `json:"reason"`
	Imports int      `json:"imports"`
	Specs   []string `json:"specs"` // the most frequent ones, as written
}

// CodeDefect is a reason why files are not read, or not completely.
type CodeDefect struct {
	Reason string   `json:"reason"`
	Files  int      `json:"files"`
	Paths  []string `json:"paths"` // the first 5
}

// CodeHistory is what is known of the folder's commits.
type CodeHistory struct {
	Commits int    `json:"commits"` // that count: no merges, 1 to 60 files
	Head    string `json:"head"`
	Partial string `json:"partial,omitempty"` // why older ones are missing
}

// RankedFile is a file with its relevance.
type RankedFile struct {
	Path    string       `json:"path"`
	Score   float64      `json:"score"` // 0–1; the best file has 1
	Reason  string       `json:"reason"`
	Demoted bool         `json:"demoted,omitempty"` // it is a test nobody asked for, or generated
	Signals []CodeSignal `json:"signals,omitempty"` // with Explain: those above 0, what adds most first
}

// CodeSignal is one part of a score.
type CodeSignal struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"`   // 0–1
	Weight  float64 `json:"weight"`  // for this query
	Weighed float64 `json:"weighed"` // value × weight: what it adds, before tests and generated files are demoted
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
	r.BudgetTokens = cmp.Or(req.BudgetTokens, DefaultOutline)
	r.Outline = code.Outline(q, r.BudgetTokens)
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
		return q, fmt.Errorf("%w: the budget of an outline is 1 to %d tokens", workspace.ErrRequest, MaxOutline)
	case req.Limit < 0 || req.Limit > MaxRanked:
		return q, fmt.Errorf("%w: the limit is 1 to %d files", workspace.ErrRequest, MaxRanked)
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
