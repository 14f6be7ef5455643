package codemap

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/limits"
	"github.com/brv-lsp/brv-lsp/workspace/locate"
)

// The limits of an expansion.
const (
	maxExpanded = 100 // files to start from
	maxNotAdded = 20  // files listed that did not fit

	// estimateSlack is how far an estimate may exceed the rest of the budget for a file to be counted
	// exactly: the estimate is some 5 % off, rarely 20.
	estimateSlack = 1.25
)

// ExpandRequest asks for the dependencies and dependents of code files, with their texts.
type ExpandRequest struct {
	Paths        []string `json:"paths"`                                // paths of the files; they are not in the answer
	BudgetTokens int      `json:"budgetTokens" flag:"budget"`           // the most tokens to add
	Direction    string   `json:"direction,omitempty" flag:"direction"` // `dependencies`, `dependents`, or `both` (the default)
	Tokenizer    string   `json:"tokenizer,omitempty" flag:"tokenizer"` // the tokenizer; the default is o200k_base
	DeadlineMs   int      `json:"deadlineMs,omitempty"`                 // after this time, return the best result so far; 0: no deadline
}

// ExpandResponse lists the files to add, the nearest first.
type ExpandResponse struct {
	Text     string       `json:"text"`   // whole files, each below its path
	Tokens   int          `json:"tokens"` // the exact tokens of `text`, never more than the budget
	Budget   int          `json:"budget"`
	Files    []ExpandFile `json:"files"`
	Missed   []string     `json:"missed"`             // the first 20 files that did not fit
	Left     int          `json:"left"`               // the number of files that did not fit
	Degraded []string     `json:"degraded,omitempty"` // what is missing because of the deadline
}

// ExpandFile is one file of an expansion.
type ExpandFile struct {
	Path   string `json:"path"`
	Tokens int    `json:"tokens"` // the tokens of its part of the text
	Reason string `json:"reason"` // why it is included, such as "imported by a.go"
}

// Expand adds whole files along the dependency graph, as long as they fit. It waits for
// the first read of the code.
func Expand(ctx context.Context, v *workspace.View, req ExpandRequest) (*ExpandResponse, error) {
	counter, err := req.check()
	if err != nil {
		return nil, err
	}
	h, done := limits.Begin(ctx, req.DeadlineMs)
	defer done()
	if v, err = h.Read(v); err != nil {
		return nil, err
	}
	code := v.Code()
	for _, p := range req.Paths {
		if _, err := locate.KnownFile(code, p); err != nil && h.Degraded == nil { // else it may not be read yet
			return nil, err
		}
	}
	r := &ExpandResponse{Budget: req.BudgetTokens, Files: []ExpandFile{}, Missed: []string{}}
	var missed, blocks []string
	sum := 0
	for _, c := range code.Around(req.Paths, codebase.Direction(req.Direction)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if h.Exceeded() || float64(c.Tokens) > float64(r.Budget-sum)*estimateSlack {
			missed = append(missed, c.Path)
			continue
		}
		text, err := code.Read(c.Path)
		block := codeBlock(c.Chunk, text)
		n := counter.Count(block) + 1 // and a blank line
		if err != nil || sum+n > r.Budget {
			missed = append(missed, c.Path)
			continue
		}
		sum += n
		blocks = append(blocks, block)
		r.Files = append(r.Files, ExpandFile{Path: c.Path, Tokens: n, Reason: reasonOf(code, c)})
	}
	for r.fill(blocks, counter); r.Tokens > r.Budget; r.fill(blocks, counter) { // where tokens reach over the blocks' ends
		last := len(blocks) - 1
		missed = append(missed, r.Files[last].Path)
		blocks, r.Files = blocks[:last], r.Files[:last]
	}
	r.Left, r.Degraded = len(missed), h.Degraded
	if h.Exceeded() && len(h.Degraded) == 0 && r.Left > 0 {
		r.Degraded = []string{limits.Without(limits.SomeFiles, h.Prompt.Err())}
	}
	r.Missed = append(r.Missed, missed[:min(len(missed), maxNotAdded)]...)
	return r, nil
}

// fill makes the text.
func (r *ExpandResponse) fill(blocks []string, counter *tokens.Encoding) {
	r.Text = strings.Join(blocks, "\n")
	r.Tokens = counter.Count(r.Text)
}

func (req ExpandRequest) check() (*tokens.Encoding, error) {
	switch codebase.Direction(req.Direction) {
	case "", codebase.DependenciesOf, codebase.DependentsOf, codebase.BothWays:
	default:
		return nil, workspace.WrongField("direction", "must be dependencies, dependents or both, not %q",
			workspace.Clipped(req.Direction))
	}
	switch {
	case len(req.Paths) == 0 || len(req.Paths) > maxExpanded:
		return nil, workspace.WrongField("paths", "give 1 to %[2]d paths, not %[1]d", len(req.Paths), maxExpanded)
	case req.BudgetTokens < 1 || req.BudgetTokens > limits.MaxPack:
		return nil, workspace.WrongField("budgetTokens", "must be 1 to %[2]d, not %[1]d", req.BudgetTokens, limits.MaxPack)
	}
	if err := limits.CheckDeadline(req.DeadlineMs); err != nil {
		return nil, err
	}
	counter, err := tokens.Named(req.Tokenizer)
	if err != nil {
		return nil, workspace.WrongField("tokenizer", "%v", err)
	}
	return counter, nil
}

// codeBlock is a whole file under its source, without credentials, in a fence that its text cannot close.
func codeBlock(c *codebase.Chunk, text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	text = strings.TrimRight(secrets.Veil(text).Part(0, len(text)), "\n")
	return fmt.Sprintf("### `%s:1-%d`\n%s\n", c.Path, 1+strings.Count(text, "\n"), markdown.Fenced(string(c.Language), text))
}

// reasonOf explains the connection of a file to the given ones.
func reasonOf(code *codebase.RepoMap, s codebase.Step) string {
	switch {
	case s.Forward && importsFile(code, s.From, s.Path):
		return "imported by " + s.From
	case s.Forward:
		return "used by " + s.From
	case importsFile(code, s.Path, s.From):
		return "imports " + s.From
	}
	return "uses " + s.From
}

// importsFile reports whether a file imports another; using a file of the same package is not an import.
func importsFile(code *codebase.RepoMap, p, other string) bool {
	c, ok := code.Chunk(p)
	return ok && slices.ContainsFunc(c.Imports(), func(i codebase.Import) bool { return slices.Contains(i.Paths, other) })
}
