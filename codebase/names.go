package codebase

import (
	"slices"
	"sync"
)

// nameIndex answers Lookup. It shares the index of an earlier map and lists only
// what changed since then: an edit must not index the whole tree again.
type nameIndex struct {
	base  func() map[string][]Definition // built when first needed
	stale map[string]bool                // paths for which base no longer holds
	delta map[string][]Definition        // what those paths define now
}

// maxDelta is how many changed files an index carries before it is built anew.
const maxDelta = 200

func newNameIndex(m, before *RepoMap) *nameIndex {
	if before != nil {
		if n := before.names.extend(m, before); n != nil {
			return n
		}
	}
	chunks := m.chunks
	return &nameIndex{base: sync.OnceValue(func() map[string][]Definition { return define(chunks, nil) })}
}

// extend returns an index for m over n's base, or nil if too much changed.
func (n *nameIndex) extend(m, before *RepoMap) *nameIndex {
	stale := map[string]bool{}
	for p := range n.stale {
		stale[p] = true
	}
	differs := func(p string) bool {
		a, b := m.byPath[p], before.byPath[p]
		return a == nil || b == nil || a.Hash != b.Hash
	}
	for _, chunks := range [][]*Chunk{m.chunks, before.chunks} {
		for _, c := range chunks {
			if differs(c.Path) {
				stale[c.Path] = true
			}
		}
	}
	if len(stale) > maxDelta {
		return nil
	}
	return &nameIndex{n.base, stale, define(m.chunks, stale)}
}

// define indexes the symbols of chunks; only names the paths to take, nil all.
func define(chunks []*Chunk, only map[string]bool) map[string][]Definition {
	index := map[string][]Definition{}
	for _, c := range chunks {
		if only != nil && !only[c.Path] {
			continue
		}
		for i := range c.Symbols {
			s := &c.Symbols[i]
			index[s.Name] = append(index[s.Name], Definition{c.Path, s})
		}
	}
	return index
}

// Lookup returns the definitions of a name, sorted by path and position.
func (m *RepoMap) Lookup(name string) []Definition {
	n := m.names
	base := n.base()[name]
	if len(n.stale) == 0 {
		return slices.Clone(base)
	}
	var out []Definition
	for _, d := range base {
		if !n.stale[d.Path] {
			out = append(out, d)
		}
	}
	out = append(out, n.delta[name]...)
	slices.SortStableFunc(out, func(a, b Definition) int {
		if a.Path != b.Path {
			if a.Path < b.Path {
				return -1
			}
			return 1
		}
		return a.Symbol.NameAt.Start - b.Symbol.NameAt.Start
	})
	return out
}
