package codebase

import (
	"cmp"
	"slices"
	"sync"

	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// nameIndex finds the files that define a name. It shares the index of an earlier map and lists only the changes
// since, so that an edit does not index the whole tree again.
type nameIndex struct {
	base    func() nameBase    // built when first needed
	spelled func() []*nameList // spelling lists of the same files, built when first needed
	stale   map[string]bool    // paths for which base and spelled are outdated
}

// nameBase lists a hash and a file for every name of every file, sorted: 8 bytes for each definition.
type nameBase struct {
	hits  []uint64 // hash<<32 | index into paths
	paths []string
}

// maxDelta is how many changed files an index may have before it is rebuilt.
const maxDelta = 200

func newNameIndex(m, before *RepoMap) *nameIndex {
	if before != nil {
		if n := before.names.extend(m, before); n != nil {
			return n
		}
	}
	chunks := m.chunks
	return &nameIndex{
		base:    sync.OnceValue(func() nameBase { return indexNames(chunks) }),
		spelled: sync.OnceValue(func() []*nameList { return listAllNames(chunks) }),
	}
}

// extend returns an index for m that uses n's base, or nil if too much changed.
func (n *nameIndex) extend(m, before *RepoMap) *nameIndex {
	stale := map[string]bool{}
	for p := range n.stale {
		stale[p] = true
	}
	// Both lists are sorted, so one pass finds the differences.
	for i, j := 0, 0; i < len(m.chunks) || j < len(before.chunks); {
		switch {
		case i < len(m.chunks) && j < len(before.chunks) && m.chunks[i] == before.chunks[j]:
			i++
			j++
		case j == len(before.chunks) || i < len(m.chunks) && m.chunks[i].Path < before.chunks[j].Path:
			stale[m.chunks[i].Path] = true
			i++
		case i == len(m.chunks) || before.chunks[j].Path < m.chunks[i].Path:
			stale[before.chunks[j].Path] = true
			j++
		default:
			if m.chunks[i].rec != before.chunks[j].rec {
				stale[m.chunks[i].Path] = true
			}
			i++
			j++
		}
	}
	if len(stale) > maxDelta {
		return nil
	}
	return &nameIndex{n.base, n.spelled, stale}
}

func indexNames(chunks []*Chunk) nameBase {
	total := 0
	for _, c := range chunks {
		total += len(c.rec.names)
	}
	b := nameBase{make([]uint64, 0, total), make([]string, len(chunks))}
	for i, c := range chunks {
		b.paths[i] = c.Path
		for _, h := range c.rec.names {
			b.hits = append(b.hits, uint64(h)<<32|uint64(i))
		}
	}
	slices.Sort(b.hits)
	return b
}

// defining calls emit with the files that may define a name of this hash, sorted
// by path.
func (m *RepoMap) defining(h terms.Term, emit func(*Chunk)) {
	base := m.names.base()
	i, _ := slices.BinarySearch(base.hits, uint64(h)<<32)
	var changed []string
	if len(m.names.stale) > 0 {
		changed = m.changedDefining(h)
	}
	for ; i < len(base.hits) && base.hits[i]>>32 == uint64(h); i++ {
		p := base.paths[base.hits[i]&(1<<32-1)]
		if m.names.stale[p] {
			continue
		}
		for len(changed) > 0 && changed[0] < p {
			c, _ := m.Chunk(changed[0])
			emit(c)
			changed = changed[1:]
		}
		if c, ok := m.Chunk(p); ok {
			emit(c)
		}
	}
	for _, p := range changed {
		c, _ := m.Chunk(p)
		emit(c)
	}
}

// changedDefining returns the paths of changed files that define a name; base is outdated for them.
func (m *RepoMap) changedDefining(h terms.Term) (out []string) {
	for p := range m.names.stale {
		if c, ok := m.Chunk(p); ok {
			if _, defines := slices.BinarySearch(c.rec.names, h); defines {
				out = append(out, p)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Lookup returns the definitions of a name, sorted by path and position.
func (m *RepoMap) Lookup(name string) []Definition {
	var out []Definition
	m.defining(terms.Name(name), func(c *Chunk) {
		symbols := c.Symbols()
		for i := range symbols {
			if symbols[i].Name == name {
				out = append(out, Definition{c.Path, &symbols[i]})
			}
		}
	})
	slices.SortStableFunc(out, func(a, b Definition) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Symbol.NameAt.Start, b.Symbol.NameAt.Start))
	})
	return out
}
