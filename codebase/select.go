package codebase

import (
	"cmp"
	"slices"
)

// Strategy is an order in which files are tried.
type Strategy string

// The four strategies of the specification.
const (
	ImportanceFirst Strategy = "importance_first" // the most important of the tree
	RelevanceFirst  Strategy = "relevance_first"  // the most relevant to the task
	BreadthFirst    Strategy = "breadth_first"    // one of each folder in turn
	DepthFirst      Strategy = "depth_first"      // the files imported by the first ones, then the imports of those
)

// SelectRequest selects files. With an open file in its query, it is the specification's getEnhancedContext: the
// dependencies of the file, the files that refer to it, and the names at the cursor raise the relevance of files,
// by Query.Boost.
type SelectRequest struct {
	Query
	Strategy     Strategy // default: RelevanceFirst with a query, else ImportanceFirst
	IncludeTypes bool     // type definition files are candidates
	IncludeTests bool     // tests are candidates
}

// candidate is a file that may be selected, with its relevance.
type candidate struct {
	*Chunk
	relevance float64
}

func byImportance(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.Importance, a.Importance), cmp.Compare(b.relevance, a.relevance), cmp.Compare(a.Path, b.Path))
}

func byRelevance(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.relevance, a.relevance), byImportance(a, b))
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
		slices.SortFunc(all, byRelevance) // without a task, this is the order of importance
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

// roundRobin takes the best file of each folder, then the second best, and so on. Folders come in the order of
// their best file.
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

// followImports begins with the best file (or, without a task, with the entry points), adds the files that it
// imports, depth first, and continues with the next best file.
func (m *RepoMap) followImports(ordered []*Chunk, entryFirst bool) []*Chunk {
	if entryFirst {
		slices.SortStableFunc(ordered, func(a, b *Chunk) int {
			return cmp.Compare(bit(b.Type == EntryPoint), bit(a.Type == EntryPoint))
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
			for _, p := range next { // the best is last
				stack = append(stack, m.chunks[m.index[p]])
			}
		}
	}
	return out
}

// Direction determines the edges along which [RepoMap.Around] goes.
type Direction string

// The directions of the specification.
const (
	DependenciesOf Direction = "dependencies"
	DependentsOf   Direction = "dependents"
	BothWays       Direction = "both"
)

// Step is a file that was reached through the graph.
type Step struct {
	*Chunk
	From    string // the file that led to it
	Forward bool   // From depends on the file; if false, the file depends on From
}

// Around follows the graph from the given files, by default in both directions, and returns the files that it
// reaches (specification "Incremental Expansion"). Nearer ones come first, and more important ones among equally
// near ones.
func (m *RepoMap) Around(from []string, d Direction) (found []Step) {
	seen := map[string]bool{}
	for _, p := range from {
		seen[p] = true
	}
	for ring := from; len(ring) > 0; {
		var next []Step
		reach := func(from string, paths []string, forward bool) {
			for _, p := range paths {
				if c, ok := m.Chunk(p); ok && !seen[p] {
					seen[p] = true
					next = append(next, Step{c, from, forward})
				}
			}
		}
		for _, p := range ring {
			if d != DependentsOf {
				reach(p, m.Dependencies(p), true)
			}
			if d != DependenciesOf {
				reach(p, m.dependents[p], false)
			}
		}
		slices.SortFunc(next, func(a, b Step) int {
			return cmp.Or(cmp.Compare(b.Importance, a.Importance), cmp.Compare(a.Path, b.Path))
		})
		found, ring = append(found, next...), nil
		for _, s := range next {
			ring = append(ring, s.Path)
		}
	}
	return found
}
