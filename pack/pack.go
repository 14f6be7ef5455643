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
//     matter, these with the bodies of the most relevant symbols, all of it;
//   - fill: from nothing, always take the step, over all candidates, that adds the
//     most value for a token, until the budget is used up;
//   - render: markdown with a source above each block, knowledge first.
//
// The budget is kept exactly: the finished text is counted as a whole, and cut
// back until it fits. Two shares are bounded, as measured on issues and their
// fixes: signatures take a quarter of the budget from 2,000 tokens up and nothing
// at 1,000, where bodies are worth more; and a tail of bare paths is cheap and
// names nearly every file in question.
//
// Measured on 48 commits of six repositories (Go, Python, Rust), message against
// parent, no tree: share of the changed files that the pack names, shows at least
// as signatures, and share of the changed lines that it holds; and for comparison
// the files shown when whole files are taken by rank until the budget is full.
//
//	tokens   named   shown   lines   whole files
//	 1,000    89 %    70 %    26 %           8 %
//	 2,000    95 %    86 %    33 %          15 %
//	 4,000    95 %    92 %    45 %          27 %
//	 8,000    97 %    97 %    56 %          44 %
//	16,000    98 %    98 %    73 %          65 %
//
// The constants below were varied around their values on these commits (exponent
// of the score 2 to 4, what signatures are worth .2 to .45, their share 15 and
// 25 %): what one gains in lines another loses in files, within the noise.
//
// Equal inputs give equal packs, byte for byte.
//
// Limits: a file that changed since it was mapped is shown as a whole or as a
// line, since its symbols' positions are no longer known. Values are estimates
// from ranks; no model is asked.
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
