// Package pack answers a task with one text in one token budget: what the team
// knows about it, and the code it is about.
//
// [Build] goes through four steps, each in a file of its own:
//
//   - candidates: entries that a search finds, files that the repo map ranks, and
//     what each leads to: entries that speak of a chosen file, files that a chosen
//     entry names, what stands around the open file;
//   - forms: each candidate can be shown at several prices. An entry: title and
//     summary, its best passage, all of it. A file: one line, the signatures that
//     matter, excerpts with or without these, all of it. An excerpt is a symbol, or
//     a piece of a long one ([codebase.RepoMap.Excerpts]);
//   - fill: from nothing, always take the step, over all candidates, that adds the
//     most value for a token, until the budget is used up;
//   - render: markdown with a source above each block, knowledge first.
//
// The budget is kept exactly: the finished text is counted as a whole, and cut
// back until it fits. What a form of a file is worth is made of chances: that a change
// for the task touches the file, for its signatures, and that it touches each excerpt
// that is shown. Both are fitted on commits ([codebase.Excerpt.Chance],
// [codebase.FileChance]). Two shares are bounded: signatures take a quarter of the
// budget from 2,000 tokens up and nothing at 1,000, where bodies are worth more, and
// the tail of bare paths takes a 25th.
//
// Measured on 1,000 commits of eleven repositories (Go, JavaScript, Python, Rust,
// TypeScript), message against parent, no tree, by
// `go run ./bench/codebase -instances DIR -repos DIR -baseline=false`: share of the
// changed files that are shown with at least a signature; of the changed functions and
// methods the share whose changed lines are shown, over all and as a mean over commits;
// and the commits with at least one of theirs shown.
//
//	tokens   files   functions   mean   any
//	 1,024    74 %        33 %   44 %   53 %
//	 4,096    93 %        59 %   68 %   78 %
//	 8,192    96 %        70 %   77 %   85 %
//
// On the 450 of them that the chances were not fitted on it is 94, 62, 70 and 77 % in
// 4,096 tokens. Fitted on the other ten repositories, they show one point less of a
// repository's functions (codebase/chance.go).
//
// Equal inputs give equal packs, byte for byte.
//
// Limits: a file that changed since it was mapped is shown as a whole or as a
// line, since its symbols' positions are no longer known. Values are estimates
// from ranks and words; no model is asked.
package pack

import (
	"context"
	"errors"
	"fmt"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
)

// TreeDir is where the context tree lies in a workspace: sources of entries are
// shown as paths that an agent can open.
const TreeDir = ".brv/context-tree/"

// ErrBudget says that not even the smallest form of a candidate fits. The error
// that wraps it names the budget that would.
var ErrBudget = errors.New("budget too small")

// Inputs are what a pack is made of.
type Inputs struct {
	Tree     *tree.Snapshot
	Code     *codebase.RepoMap
	Links    *link.Links
	Search   func(ctx context.Context, text string, limit int) ([]retrieval.Hit, error)
	Count    func(string) int // exact tokens
	Estimate func(string) int // about the same, cheaper
}

// Task says what the pack is for.
type Task struct {
	Text         string
	Budget       int               // tokens
	File         string            // the open file, "" if there is none
	Offset       int               // the cursor in it, in bytes
	Strategy     codebase.Strategy // order of the files; default by relevance
	IncludeTests bool              // tests are candidates
}

// query is what files and symbols are ranked for.
func (t Task) query() codebase.Query {
	return codebase.Query{Task: t.Text, File: t.File, Offset: t.Offset}
}

// Kind says what an item is made of.
type Kind string

// The two kinds.
const (
	KindEntry Kind = "entry"
	KindCode  Kind = "code"
)

// Form is how much of an item is shown.
type Form string

// The forms, per kind from the cheapest.
const (
	FormSummary Form = "summary" // entry: title and summary
	FormPassage Form = "passage" // entry: the section that fits best

	FormOutline  Form = "outline"  // code: a line with the names that matter
	FormSkeleton Form = "skeleton" // code: signatures
	FormBody     Form = "body"     // code: signatures, and the bodies of some

	FormFull Form = "full" // either: all of it
)

// Item is one entry or file of a pack, or one that is missing.
type Item struct {
	Kind   Kind    `json:"kind"`
	Path   string  `json:"path"` // of an entry inside the tree, of a file in the workspace
	Form   Form    `json:"form"`
	Lines  [2]int  `json:"lines"`  // first and last line shown, 1-based; zero for one-line forms
	Tokens int     `json:"tokens"` // of its block alone; of the cheapest form if it is missing
	Score  float64 `json:"score"`  // 0–1
	Reason string  `json:"reason"` // why it is here, or why it is not
}

// Pack is the answer.
type Pack struct {
	Text   string `json:"text"`
	Tokens int    `json:"tokens"` // of Text, exactly; never more than Budget
	Budget int    `json:"budget"`
	Items  []Item `json:"items"`  // in the order of Text
	Missed []Item `json:"missed"` // the best candidates that are not in it
	// Pending is the number of code files that were found by their words alone,
	// because their syntax was still being read.
	Pending int `json:"pending,omitempty"`
}

// Build fills the task's budget. Without any candidate the pack is empty.
func Build(ctx context.Context, in Inputs, task Task) (Pack, error) {
	if task.Budget <= 0 {
		return Pack{}, fmt.Errorf("%w: %d tokens", ErrBudget, task.Budget)
	}
	candidates, err := gather(ctx, in, task)
	if err != nil {
		return Pack{}, err
	}
	p := filled(candidates, in, task.Budget)
	if err := ctx.Err(); err != nil {
		return Pack{}, err
	}
	if len(p.Items) > 0 || len(candidates) == 0 {
		return p, nil
	}
	// A budget of a few tokens: what was chosen by its estimate did not fit.
	least, tokens := smallest(candidates, in.Count)
	if p = filled([]*candidate{least}, in, task.Budget); len(p.Items) > 0 {
		return p, nil
	}
	return Pack{}, fmt.Errorf("%w: %d tokens; the smallest answer needs %d", ErrBudget, task.Budget, tokens)
}

// filled fills a budget with candidates.
func filled(candidates []*candidate, in Inputs, budget int) Pack {
	f := newFiller(candidates, in.Estimate, budget)
	f.fill()
	text, tokens := f.fit(in.Count)
	return Pack{Text: text, Tokens: tokens, Budget: budget, Items: f.items(in.Count), Missed: f.missed(in.Count)}
}
