package codemap

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/elsewhere"
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
