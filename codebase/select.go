package codebase

import (
	"cmp"
	"maps"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/tokens"
)

// Strategy is an order in which files are tried.
type Strategy string

// The four strategies of the specification.
const (
	ImportanceFirst Strategy = "importance_first" // the most important of the tree
	RelevanceFirst  Strategy = "relevance_first"  // the most relevant to the task
	BreadthFirst    Strategy = "breadth_first"    // one of each folder in turn
	DepthFirst      Strategy = "depth_first"      // what the first files import, and what that imports
)

// SelectRequest says what to select. With an open file in its query it is the
// specification's getEnhancedContext: what the file depends on, what refers to
// it and the names at the cursor raise the relevance of files, by Query.Boost.
type SelectRequest struct {
	Query
	Strategy     Strategy // default RelevanceFirst with a query, else ImportanceFirst
	IncludeTypes bool     // type definition files are candidates
	IncludeTests bool     // tests are candidates
}

// Selection holds the files that fit a budget.
type Selection struct {
	Chunks          []*Chunk // in the order of the strategy; Tokens counted exactly
	TotalTokens     int      // never more than the budget
	BudgetRemaining int
	Excluded        []string // candidates that did not fit, in the order they were tried
}

// take fills a budget with whole files in the given order. A file that does not fit is passed over, and smaller
// ones behind it still get their chance. What might fit by its estimate is read and counted exactly, so the files
// as they are now stay within the budget.
func (m *RepoMap) take(ordered []*Chunk, budget int) Selection {
	s := Selection{BudgetRemaining: max(0, budget)}
	for _, c := range ordered {
		c, ok := m.fitting(c, s.BudgetRemaining)
		if !ok {
			s.Excluded = append(s.Excluded, c.Path)
			continue
		}
		s.Chunks = append(s.Chunks, c)
		s.TotalTokens += c.Tokens
		s.BudgetRemaining -= c.Tokens
	}
	return s
}

// estimateSlack is how far above the budget an estimate may lie for a file to be
// counted: the estimate is some 5 % off, rarely 20.
const estimateSlack = 1.25

// fitting returns the chunk with its tokens counted, if those fit the budget.
func (m *RepoMap) fitting(c *Chunk, budget int) (*Chunk, bool) {
	if float64(c.Tokens) > float64(budget)*estimateSlack {
		return c, false
	}
	text, err := m.Read(c.Path)
	if err != nil {
		return c, false
	}
	counted := *c
	counted.Tokens = tokens.Count(text)
	return &counted, counted.Tokens <= budget
}

// candidate is a file that may be selected, with its relevance.
type candidate struct {
	*Chunk
	relevance float64
}

func byImportance(a, b candidate) int {
	if c := cmp.Or(cmp.Compare(b.Importance, a.Importance), cmp.Compare(b.relevance, a.relevance)); c != 0 {
		return c
	}
	return cmp.Compare(a.Path, b.Path)
}

func byRelevance(a, b candidate) int {
	if c := cmp.Compare(b.relevance, a.relevance); c != 0 {
		return c
	}
	return byImportance(a, b)
}

// Order lists the candidates of a request, best first.
func (m *RepoMap) Order(req SelectRequest) []*Chunk {
	relevance := make([]float64, len(m.chunks))
	if !req.Query.empty() {
		for _, r := range m.Rank(req.Query) {
			relevance[m.index[r.Path]] = r.Score
		}
	}
	all := make([]candidate, 0, len(m.chunks))
	for i, c := range m.chunks {
		if c.Type == Types && !req.IncludeTypes || c.Type == Test && !req.IncludeTests {
			continue
		}
		all = append(all, candidate{c, relevance[i]})
	}
	if req.Strategy == ImportanceFirst {
		slices.SortFunc(all, byImportance)
	} else {
		slices.SortFunc(all, byRelevance) // without a task this is by importance
	}
	ordered := make([]*Chunk, len(all))
	for i, c := range all {
		ordered[i] = c.Chunk
	}
	switch req.Strategy {
	case BreadthFirst:
		return roundRobin(ordered)
	case DepthFirst:
		return m.followImports(ordered, req.Query.empty())
	}
	return ordered
}

// roundRobin takes the best of each folder, then the second best of each, …;
// folders in the order of their best file.
func roundRobin(ordered []*Chunk) []*Chunk {
	byFolder := map[string][]*Chunk{}
	var folders []string
	for _, c := range ordered {
		dir := dirOf(c.Path)
		if byFolder[dir] == nil {
			folders = append(folders, dir)
		}
		byFolder[dir] = append(byFolder[dir], c)
	}
	out := make([]*Chunk, 0, len(ordered))
	for round := 0; len(out) < len(ordered); round++ {
		for _, dir := range folders {
			if files := byFolder[dir]; round < len(files) {
				out = append(out, files[round])
			}
		}
	}
	return out
}

// followImports begins with the best file (or, without a task, with the entry
// points), adds what it imports, depth first, then goes on with the next best.
func (m *RepoMap) followImports(ordered []*Chunk, entryFirst bool) []*Chunk {
	if entryFirst {
		slices.SortStableFunc(ordered, func(a, b *Chunk) int {
			return cmp.Compare(boolRank(b.Type == EntryPoint), boolRank(a.Type == EntryPoint))
		})
	}
	rank := make(map[string]int, len(ordered))
	for i, c := range ordered {
		rank[c.Path] = i
	}
	seen := map[string]bool{}
	out := make([]*Chunk, 0, len(ordered))
	for _, c := range ordered {
		stack := []*Chunk{c}
		for len(stack) > 0 {
			c := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if seen[c.Path] {
				continue
			}
			seen[c.Path] = true
			out = append(out, c)
			next := slices.DeleteFunc(slices.Clone(c.deps), func(p string) bool {
				_, candidate := rank[p]
				return !candidate || seen[p]
			})
			slices.SortFunc(next, func(a, b string) int { return cmp.Compare(rank[b], rank[a]) })
			for _, p := range next { // the best is on top
				stack = append(stack, m.chunks[m.index[p]])
			}
		}
	}
	return out
}

func boolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Direction says along which edges Expand goes.
type Direction string

// The directions of the specification.
const (
	DependenciesOf Direction = "dependencies"
	DependentsOf   Direction = "dependents"
	BothWays       Direction = "both"
)

// ExpandRequest bounds an expansion.
type ExpandRequest struct {
	MaxTokensToAdd int
	Direction      Direction // default BothWays
}

// Expand follows the graph from the given files and returns what to add to them
// (specification "Incremental Expansion"): nearest first, more important first
// among equally near ones, all together within the budget, counted exactly. The
// given files are not among them.
func (m *RepoMap) Expand(from []string, req ExpandRequest) Selection {
	seen := map[string]bool{}
	for _, p := range from {
		seen[p] = true
	}
	var ordered []*Chunk
	for ring := from; len(ring) > 0; {
		next := m.neighbours(ring, req.Direction, seen)
		ordered = append(ordered, next...)
		ring = ring[:0:0]
		for _, c := range next {
			ring = append(ring, c.Path)
		}
	}
	return m.take(ordered, req.MaxTokensToAdd)
}

// neighbours returns the files next to a ring that were not seen, and marks them.
func (m *RepoMap) neighbours(ring []string, d Direction, seen map[string]bool) []*Chunk {
	found := map[string]*Chunk{}
	add := func(paths []string) {
		for _, p := range paths {
			if c, ok := m.Chunk(p); ok && !seen[p] {
				seen[p] = true
				found[p] = c
			}
		}
	}
	for _, p := range ring {
		c, ok := m.Chunk(p)
		if !ok {
			continue
		}
		if d != DependentsOf {
			add(c.deps)
		}
		if d != DependenciesOf {
			add(m.dependents[p])
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b *Chunk) int {
		return cmp.Or(cmp.Compare(b.Importance, a.Importance), cmp.Compare(a.Path, b.Path))
	})
}
