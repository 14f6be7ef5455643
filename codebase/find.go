package codebase

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/panics"
)

// SymbolQuery asks for definitions by their names.
type SymbolQuery struct {
	// Text is a name or a part of one. Words are compared at the beginnings of the
	// words of a name, however those are joined: "tokRef", "token_refresh" and "token
	// refresh" find TokenRefresher. What stands before the last ".", "::" or "#" is
	// the end of what encloses the definition, or a Go package: "RepoMap.Rank".
	Text  string
	Kind  syntax.Kind // "" for all
	Limit int         // most results
}

// String names the match.
func (m Match) String() string {
	return [...]string{"exact", "same", "prefix", "words", "part", ""}[min(m, noMatch)]
}

// FoundSymbol is a definition that a query found.
type FoundSymbol struct {
	Definition
	Match Match
}

// symbolKinds are the kinds that a query can name, by the numbers of a nameList.
var symbolKinds = []syntax.Kind{
	syntax.Function, syntax.Method, syntax.Class, syntax.Interface, syntax.Struct, syntax.Enum, syntax.Type,
	syntax.Module, syntax.Constant, syntax.Variable, syntax.Macro,
}

// SymbolKinds lists the kinds of symbols that can be asked for.
func SymbolKinds() []syntax.Kind { return slices.Clone(symbolKinds) }

// FindSymbols returns the definitions whose names fit a query, the closest match
// first, among equal ones those that people wrote, of important files, then exported ones and types.
// total counts all that fit. It is linear in the number of definitions; the first
// call on a map reads their names.
func (m *RepoMap) FindSymbols(q SymbolQuery) (found []FoundSymbol, total int) {
	t := newNameQuery(q.Text)
	if q.Limit <= 0 || len(t.words) == 0 && t.container == "" {
		return nil, 0
	}
	f := &symbolFinder{m: m, query: t, kind: slices.Index(symbolKinds, q.Kind), limit: q.Limit}
	if f.kind < 0 && q.Kind != "" {
		return nil, 0
	}
	for _, l := range m.names.spelled() {
		for i, p := range l.paths {
			if at, ok := m.index[p]; ok && !m.names.stale[p] {
				f.file(at, l, i)
			}
		}
	}
	for p := range m.names.stale {
		if at, ok := m.index[p]; ok {
			f.file(at, listNames(m.chunks[at:at+1]), 0)
		}
	}
	f.keepBest()
	for _, h := range f.hits {
		if symbols := m.chunks[h.chunk].Symbols(); int(h.symbol) < len(symbols) {
			found = append(found, FoundSymbol{Definition{m.chunks[h.chunk].Path, &symbols[h.symbol]}, h.match})
		}
	}
	return found, f.total
}

// symbolFinder collects the best definitions.
type symbolFinder struct {
	m     *RepoMap
	query *nameQuery
	kind  int // of symbolKinds, -1 for all
	limit int
	hits  []symbolHit
	floor *symbolHit // the last of the best so far, once there are enough
	total int
}

type symbolHit struct {
	match  Match
	rank   uint8
	chunk  int32
	symbol int32
}

// file compares the names of one file of a list.
func (f *symbolFinder) file(chunk int, l *nameList, i int) {
	from, to := l.span(i)
	module := f.m.chunks[chunk].Module
	for k := from; k < to; k++ {
		if f.kind >= 0 && int(l.kinds[k]) != f.kind {
			continue
		}
		match := f.query.match(l.name(k))
		if match == noMatch || !f.query.inside(module, l.containers[l.container[k]]) {
			continue
		}
		f.total++
		hit := symbolHit{match, l.rank[k], int32(chunk), int32(k - from)}
		if f.floor != nil && f.compare(hit, *f.floor) > 0 {
			continue
		}
		f.hits = append(f.hits, hit)
		if len(f.hits) >= 2*f.limit+1024 {
			f.keepBest()
		}
	}
}

// compare orders hits, the best first.
func (f *symbolFinder) compare(a, b symbolHit) int {
	return cmp.Or(
		cmp.Compare(a.match, b.match),
		cmp.Compare(f.written(b), f.written(a)),
		cmp.Compare(f.m.chunks[b.chunk].Importance, f.m.chunks[a.chunk].Importance),
		cmp.Compare(b.rank, a.rank),
		cmp.Compare(a.chunk, b.chunk), // by path
		cmp.Compare(a.symbol, b.symbol),
	)
}

// written is 1 for hand-written code, and 0 for copies and generated code.
func (f *symbolFinder) written(h symbolHit) int {
	if f.m.chunks[h.chunk].Origin != "" {
		return 0
	}
	return 1
}

// keepBest drops the hits beyond the limit.
func (f *symbolFinder) keepBest() {
	slices.SortFunc(f.hits, f.compare)
	f.hits = f.hits[:min(len(f.hits), f.limit)]
	if len(f.hits) == f.limit {
		last := f.hits[f.limit-1]
		f.floor = &last
	}
}

// nameList holds the names of the definitions of some files, with the data for ordering and filtering: some
// 30 bytes a definition, an eighth of decoded symbols.
type nameList struct {
	paths      []string
	fileEnd    []uint32 // by file: where its definitions end
	names      []byte   // as spelled, one after the other
	nameEnd    []uint32
	kinds      []uint8 // of symbolKinds
	rank       []uint8
	container  []uint32 // of containers
	containers []string
}

// maxListedName is how much of a name is listed, in bytes; longer ones are made by
// programs.
const maxListedName = 256

// listAllNames lists the names of all files in as many parts as there are
// processors: 200,000 definitions take some 40 ms of processor time (own
// measurement, BenchmarkListNames).
func listAllNames(chunks []*Chunk) []*nameList {
	n := runtime.GOMAXPROCS(0)
	parts := slices.Collect(slices.Chunk(chunks, len(chunks)/n+1))
	lists := make([]*nameList, len(parts))
	var listing panics.Group
	for i, part := range parts {
		listing.Go(func() { lists[i] = listNames(part) })
	}
	listing.Wait()
	return lists
}

// listNames reads the names of the definitions of some files.
func listNames(chunks []*Chunk) *nameList {
	l := &nameList{containers: []string{""}}
	known := map[string]uint32{"": 0}
	for _, c := range chunks {
		l.paths = append(l.paths, c.Path)
		symbols, err := syntax.DecodeSymbols(c.rec.symbols) // not through the cache, which they would empty
		if c.rec.count == 0 || err != nil {
			symbols = nil
		}
		for i := range symbols {
			s := &symbols[i]
			id, ok := known[s.Container]
			if !ok {
				id = uint32(len(l.containers))
				text := strings.Clone(s.Container)
				known[text] = id
				l.containers = append(l.containers, text)
			}
			name := s.Name[:min(len(s.Name), maxListedName)]
			if len(l.names)+len(name) > math.MaxUint32 {
				break // more names than any folder of source files has
			}
			l.names = append(l.names, name...)
			l.nameEnd = append(l.nameEnd, uint32(len(l.names)))
			l.kinds = append(l.kinds, uint8(slices.Index(symbolKinds, s.Kind)))
			l.rank = append(l.rank, uint8(symbolOrder(s)))
			l.container = append(l.container, id)
		}
		l.fileEnd = append(l.fileEnd, uint32(len(l.nameEnd)))
	}
	return l
}

// span returns where the definitions of file i begin and end.
func (l *nameList) span(i int) (from, to int) {
	if i > 0 {
		from = int(l.fileEnd[i-1])
	}
	return from, int(l.fileEnd[i])
}

func (l *nameList) name(k int) []byte {
	from := uint32(0)
	if k > 0 {
		from = l.nameEnd[k-1]
	}
	return l.names[from:l.nameEnd[k]]
}
