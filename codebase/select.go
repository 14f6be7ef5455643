package codebase

import (
	"cmp"
	"maps"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/tokens"
)

// Selection is what fits a budget.
type Selection struct {
	Chunks          []*Chunk // nearest first; Tokens counted exactly
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
