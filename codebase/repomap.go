package codebase

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/codebase/discover"
	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/codebase/imports"
)

// RepoMap is a source tree at one moment. It is immutable and safe for any
// number of readers.
type RepoMap struct {
	scanner *scanner
	filter  *discover.Filter
	configs map[string]string
	skipped map[string]string
	over    *overlay // nil: no unsaved texts
	pending int      // files whose syntax is not read yet

	chunks     []*Chunk       // sorted by path
	index      map[string]int // path → index in chunks; shared by maps of the same paths
	dependents map[string][]string
	most       int // the largest number of dependents of a file
	resolver   *imports.Resolver
	tokens     int

	names       *nameIndex
	history     *history.History // nil if git is not known
	fingerprint func() string

	// Caches, each for the last answer to one kind of question.
	task    atomic.Pointer[taskPlan]
	noTask  atomic.Pointer[taskPlan]   // the plan without a task
	near    atomic.Pointer[neighbours] // of an open file
	stands  atomic.Pointer[standing]   // the scores without a query, once needed
	overlay atomic.Pointer[RepoMap]    // the last result of With; nil if over is set
	outside *imports.Resolver          // see resolving; guarded by across
}

// standing holds the scores of the files without a query (standing.go).
type standing struct {
	best    []*Chunk           // files of the project's own code with definitions, best first
	scores  map[string]float64 // by path, 0–1: 1 for the first
	entries []*Chunk           // files where programs begin, or packages and crates are entered, best first
}

// mapParts are the parts of a map.
type mapParts struct {
	filter  *discover.Filter
	chunks  []*Chunk // sorted by path
	configs map[string]string
	skipped map[string]string
	over    *overlay
}

// build resolves imports and computes importance. before, if not nil, is a map with the same configuration, whose
// results are reused for files that did not change.
func (s *scanner) build(p mapParts, before *RepoMap) *RepoMap {
	m := &RepoMap{scanner: s, filter: p.filter, configs: p.configs, skipped: p.skipped, over: p.over, chunks: slices.Clone(p.chunks)}
	stale := staleChunks(p.chunks, before)
	if m.resolver = new(imports.Resolver); !s.opts.NoGraph {
		m.link(stale, before)
	}
	if stale != nil {
		m.index = before.index
		m.reconnect(before, stale)
	} else {
		m.index = make(map[string]int, len(m.chunks))
		for i, c := range m.chunks {
			m.index[c.Path] = i
		}
		m.connect()
	}
	for _, c := range m.chunks {
		m.tokens += c.Tokens
		if c.rec.partial == pendingSyntax {
			m.pending++
		}
	}
	m.names = newNameIndex(m, before)
	m.fingerprint = sync.OnceValue(m.hash)
	return m
}

// link resolves the imports of the stale chunks; nil means all.
func (m *RepoMap) link(stale map[string]bool, before *RepoMap) {
	var earlier *imports.Resolver
	if stale != nil {
		earlier = before.resolver
	}
	files := make([]*imports.File, len(m.chunks))
	for i, c := range m.chunks {
		files[i] = c.file
	}
	m.resolver = imports.New(files, imports.Configs{Texts: m.configs, Read: m.readText}, earlier)
	for i, c := range m.chunks {
		if stale == nil || stale[c.Path] {
			m.chunks[i] = c.linked(m.resolver.Resolve(c.file))
		}
	}
}

// connect inverts the graph and sets the importance that follows from it.
func (m *RepoMap) connect() {
	m.dependents = make(map[string][]string, len(m.chunks))
	for _, c := range m.chunks { // in order, so that the lists are sorted
		for _, to := range c.deps {
			m.dependents[to] = append(m.dependents[to], c.Path)
		}
	}
	m.weigh(nil)
}

// reconnect reuses the graph of a map with the same paths, if the stale chunks have the same dependencies as
// before.
func (m *RepoMap) reconnect(before *RepoMap, stale map[string]bool) {
	for p := range stale {
		if i := m.index[p]; !slices.Equal(before.chunks[i].deps, m.chunks[i].deps) {
			m.connect()
			return
		}
	}
	m.dependents, m.most = before.dependents, before.most
	m.weigh(stale)
}

// weigh sets the importance of the given chunks. It sets that of all chunks if paths is nil, or if the largest
// number of dependents changed (specification "adjustImportanceByConnectivity").
func (m *RepoMap) weigh(paths map[string]bool) {
	most := 0
	for _, from := range m.dependents {
		most = max(most, len(from))
	}
	all := paths == nil || most != m.most
	m.most = most
	for i, c := range m.chunks {
		if !all && !paths[c.Path] {
			continue
		}
		want := importance(c.Type, len(m.dependents[c.Path]), most)
		if c.Importance != want {
			changed := *c
			changed.Importance = want
			m.chunks[i] = &changed
		}
	}
}

func (m *RepoMap) readsConfig(changed []string) bool {
	return slices.ContainsFunc(changed, m.resolver.Reads)
}

// Chunks returns the files of the map, sorted by path. The caller must not
// change the slice.
func (m *RepoMap) Chunks() []*Chunk { return m.chunks }

// Chunk returns the file at a path.
func (m *RepoMap) Chunk(path string) (*Chunk, bool) {
	if i, ok := m.index[path]; ok {
		return m.chunks[i], true
	}
	return nil, false
}

// Pending returns the number of files whose syntax is not read yet. They are found by their words, but not by
// their definitions.
func (m *RepoMap) Pending() int { return m.pending }

// Dependencies returns the files that a file imports, sorted. In Go, where an import names a folder, these are the
// files that define the used names.
func (m *RepoMap) Dependencies(path string) []string {
	if c, ok := m.Chunk(path); ok {
		return slices.Clone(c.deps)
	}
	return nil
}

// Dependents returns the files that import a file, sorted.
func (m *RepoMap) Dependents(path string) []string {
	return slices.Clone(m.dependents[path])
}

// WithHistory returns the map with git's data about its files. Update and With keep it.
func (m *RepoMap) WithHistory(h *history.History) *RepoMap {
	if m.over == nil {
		out := m.withHistory(h, nil)
		if laid := m.overlay.Load(); laid != nil {
			out.overlay.Store(laid.withHistory(h, out))
		}
		return out
	}
	base := m.over.base.withHistory(h, nil)
	out := m.withHistory(h, base)
	base.overlay.Store(out)
	return out
}

// withHistory copies a map. base is the map without its unsaved texts, if it has any.
func (m *RepoMap) withHistory(h *history.History, base *RepoMap) *RepoMap {
	out := &RepoMap{
		scanner: m.scanner, filter: m.filter, configs: m.configs, skipped: m.skipped, pending: m.pending,
		chunks: m.chunks, index: m.index, dependents: m.dependents, most: m.most, resolver: m.resolver,
		tokens: m.tokens, names: m.names, fingerprint: m.fingerprint,
		history: h,
	}
	if base != nil {
		out.over = &overlay{base: base, requested: m.over.requested, texts: m.over.texts}
	}
	return out
}

// History returns git's data about the files, or nil.
func (m *RepoMap) History() *history.History { return m.history }

// Skipped returns the files that match the patterns and could not be mapped.
func (m *RepoMap) Skipped() []Skipped { return sortedSkipped(m.skipped) }

// TotalTokens estimates the tokens of all files together.
func (m *RepoMap) TotalTokens() int { return m.tokens }

// Read returns a mapped file's text, which is the unsaved text if there is one. It may differ from the text of the
// chunk: compare [Chunk.Hash] before using a symbol's position. Texts are kept for a few minutes (package texts);
// Update reads changed files again.
func (m *RepoMap) Read(path string) (string, error) {
	if _, ok := m.index[path]; !ok {
		return "", fmt.Errorf("%s is not in the map", path)
	}
	if text, ok := m.over.text(path); ok {
		return text, nil
	}
	return m.scanner.texts.Get(path)
}

// Save stores the records for the next start, if there is a cache and enough of them are new. A failure only costs
// time at the next start.
func (m *RepoMap) Save() error {
	s := m.scanner
	if !s.put.Swap(false) {
		return nil
	}
	defer s.store.Release()
	return s.store.Save(func(p string) bool { _, ok := m.index[p]; return ok })
}

// Empty returns a map without files, for use before the first [Scan] ends. All queries work on it, but it must not
// be updated.
func Empty() *RepoMap {
	return (&scanner{}).build(mapParts{}, nil)
}

// Exists reports whether a file or folder exists in the workspace now, mapped or not: entries name documents,
// scripts and settings too, which are not code. A file that git has and does not check out counts as existing,
// since it was not removed.
func (m *RepoMap) Exists(path string) bool {
	if m.scanner.root == nil {
		return false
	}
	if _, ok := m.over.text(path); ok {
		return true
	}
	_, err := m.scanner.root.Stat(path)
	return err == nil || m.filter != nil && m.filter.Away(path)
}

// Walked reports whether the files of a folder were examined. A folder is left out by its name, by an ignore file,
// or because it is another repository.
func (m *RepoMap) Walked(folder string) bool { return m.filter != nil && m.filter.Known(folder) }

// LeftOut names the folders of code that are not in the map; see [discover.Filter.LeftOut].
func (m *RepoMap) LeftOut() string { return m.filter.LeftOut(m.scanner.root) }

// SamePaths reports whether Exists gives the same answers for two maps, without asking the disk. That is so if
// both come from one scan and have unsaved texts at the same paths.
func (m *RepoMap) SamePaths(o *RepoMap) bool {
	return m.saved() == o.saved() && maps.EqualFunc(m.over.unsaved(), o.over.unsaved(), func(_, _ string) bool { return true })
}

// HashOf returns the hash of a text, as in a chunk.
func HashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Fingerprint identifies the content of the map: equal maps have equal
// fingerprints.
func (m *RepoMap) Fingerprint() string { return m.fingerprint() }

func (m *RepoMap) hash() string {
	h := sha256.New()
	for _, c := range m.chunks {
		fmt.Fprintf(h, "%q %s %q %d %v %q\n", c.Path, c.Hash, c.Partial, c.rec.count, c.Importance, c.deps)
	}
	for _, s := range m.Skipped() {
		fmt.Fprintf(h, "skipped %q %q\n", s.Path, s.Reason)
	}
	return hex.EncodeToString(h.Sum(nil))
}
