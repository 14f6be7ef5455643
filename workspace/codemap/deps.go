package codemap

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/elsewhere"
	"github.com/brv-lsp/brv-lsp/workspace/limits"
	"github.com/brv-lsp/brv-lsp/workspace/locate"
)

// The limits of a dependency request.
const (
	MaxDepth      = 10    // steps along the graph
	maxTreeFiles  = 500   // files of a tree
	maxDependents = 1_000 // files listed
	maxTogether   = 10    // files that change together, the most often first
)

// DepsRequest asks for the dependencies and dependents of a file.
type DepsRequest struct {
	Path    string `json:"path"`
	Reverse bool   `json:"reverse,omitempty" flag:"reverse"` // follow dependents instead of dependencies
	Depth   int    `json:"depth,omitempty" flag:"depth"`     // steps to follow the graph; 1 if 0, at most 10
}

// DepsResponse is a file with its neighbours in the graph.
type DepsResponse struct {
	File           CodeFile     `json:"file"`
	Imports        []FileImport `json:"imports"`        // in the order of the file
	SamePackage    []string     `json:"samePackage"`    // files that it depends on without an import, as in a package of Go
	Dependencies   []string     `json:"dependencies"`   // all files that it depends on, sorted
	Dependents     []string     `json:"dependents"`     // the first 1,000 files that depend on it, sorted
	DependentCount int          `json:"dependentCount"` // the number of all of them
	Together       []Together   `json:"together"`       // the 10 files that changed most often with it; empty without git
	// Tree has the dependencies of the file, to the depth of the request; with `reverse`, its dependents.
	Tree    DepFile `json:"tree"`
	Reached int     `json:"reached"` // the number of files in the tree, without the first; also those that are not listed
	// Links to other repositories: what they use of the file, and what it uses of them. It is empty if no other
	// repository is open or named.
	Elsewhere *elsewhere.Links `json:"elsewhere,omitempty"`
	Note      string           `json:"note,omitempty"` // why imports and dependents are missing
}

// FileImport is one import of a file.
type FileImport struct {
	Spec   string   `json:"spec"`            // the import as it is written
	Names  []string `json:"names,omitempty"` // the imported names; empty: all
	Line   int      `json:"line,omitempty"`  // 1-based; missing if the file changed since it was read
	Files  []string `json:"files"`           // files that the import leads to; of a Go package, the files that define what is used
	Reason string   `json:"reason,omitempty"`
}

// Together is a file that changes together with another.
type Together struct {
	Path  string  `json:"path"`
	Score float64 `json:"score"` // the sum of 1/log2(1 + number of changed files) over the commits that changed both
}

// DepFile is a file in a tree of dependencies.
type DepFile struct {
	Path     string    `json:"path"`
	Repeated bool      `json:"repeated,omitempty"` // the file occurs earlier in the tree, which lists its dependencies there
	Left     int       `json:"left,omitempty"`     // files that are reached through it and not listed, because the tree has 500 files
	Files    []DepFile `json:"files,omitempty"`
}

// Deps lists the neighbours of a file. It waits for the first read of the code.
func Deps(ctx context.Context, v *workspace.View, req DepsRequest) (*DepsResponse, error) {
	if req.Depth < 0 || req.Depth > MaxDepth {
		return nil, fmt.Errorf("%w: the depth must be 1 to %d", workspace.ErrRequest, MaxDepth)
	}
	v, err := v.Complete(ctx)
	if err != nil {
		return nil, err
	}
	code := v.Code()
	c, err := locate.KnownFile(code, req.Path)
	if err != nil {
		return nil, err
	}
	next := code.Dependencies
	if req.Reverse {
		next = code.Dependents
	}
	r := &DepsResponse{
		File: codeFile(code, c), Dependencies: append([]string{}, code.Dependencies(c.Path)...),
		Dependents: append([]string{}, code.Dependents(c.Path)...), Together: together(code, c.Path),
		Note: WithoutSyntax(),
	}
	r.Tree, r.Reached = follow(c.Path, max(req.Depth, 1), next)
	r.DependentCount = len(r.Dependents)
	r.Dependents = r.Dependents[:min(len(r.Dependents), maxDependents)]
	r.imports(code, c)
	r.Elsewhere = elsewhere.Of(ctx, v, c.Path)
	return r, ctx.Err()
}

// imports lists the imports of a file, and the files of its package that it depends on.
func (r *DepsResponse) imports(code *codebase.RepoMap, c *codebase.Chunk) {
	text, err := code.Read(c.Path)
	known := err == nil && codebase.HashOf(text) == c.Hash
	lines := markdown.CountLines(text)
	r.Imports, r.SamePackage = []FileImport{}, []string{}
	imported := map[string]bool{}
	for _, i := range c.Imports() {
		out := FileImport{Spec: i.Spec, Names: i.Names, Reason: string(i.Reason), Files: []string{}}
		for _, p := range i.Paths {
			if _, used := slices.BinarySearch(r.Dependencies, p); used {
				out.Files = append(out.Files, p)
			}
			imported[p] = true
		}
		if len(out.Files) == 0 {
			out.Files = append(out.Files, i.Paths...)
		}
		if known {
			out.Line = lines.At(i.At.Start)
		}
		r.Imports = append(r.Imports, out)
	}
	for _, p := range r.Dependencies {
		if !imported[p] {
			r.SamePackage = append(r.SamePackage, p)
		}
	}
}

// together lists the existing files that change together with a file.
func together(code *codebase.RepoMap, p string) []Together {
	all, out := []Together{}, []Together{}
	if h := code.History(); h != nil {
		for other, score := range h.CoChange(p) {
			all = append(all, Together{other, score})
		}
	}
	slices.SortFunc(all, func(a, b Together) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Path, b.Path)) })
	for _, t := range all[:min(len(all), 10*maxTogether)] {
		if code.Exists(t.Path) && len(out) < maxTogether {
			out = append(out, t)
		}
	}
	return out
}

// follow walks the graph breadth first, so that each file is expanded where it is highest; cycles end at a
// repeated file. reached counts the files without the first, each once, including those over the limit of the
// list.
func follow(from string, depth int, next func(string) []string) (root DepFile, reached int) {
	type step struct {
		path string
		at   *DepFile // the file itself, or the last listed one on the way to it
	}
	root = DepFile{Path: from}
	seen, level, listed := map[string]bool{from: true}, []step{{from, &root}}, 0
	for ; depth > 0 && len(level) > 0; depth-- {
		var below []step
		for _, f := range level {
			paths := next(f.path)
			if f.at.Path == f.path {
				f.at.Files = make([]DepFile, 0, min(len(paths), maxTreeFiles-listed)) // its array never moves: steps point into it
			}
			for _, p := range paths {
				repeated, at := seen[p], f.at
				if !repeated {
					seen[p] = true
					reached++
				}
				switch {
				case f.at.Path == f.path && listed < maxTreeFiles:
					listed++
					f.at.Files = append(f.at.Files, DepFile{Path: p, Repeated: repeated})
					at = &f.at.Files[len(f.at.Files)-1]
				case !repeated:
					f.at.Left++
				}
				if !repeated {
					below = append(below, step{p, at})
				}
			}
		}
		level = below
	}
	return root, reached
}

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
