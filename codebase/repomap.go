package codebase

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// RepoMap is a source tree at one moment. It is immutable and safe for any
// number of readers.
type RepoMap struct {
	scanner *scanner
	filter  *filter
	configs map[string]string
	skipped map[string]string

	chunks     []*Chunk // sorted by path
	byPath     map[string]*Chunk
	dependents map[string][]string
	resolver   *resolver
	tokens     int

	names       *nameIndex
	fingerprint func() string
	plan        atomic.Pointer[plan] // of the last task, as a cache: equal tasks give equal plans
}

// build resolves imports and importance. before, if not nil, is a map with the
// same configuration whose results still hold where no file changed.
func (s *scanner) build(f *filter, chunks []*Chunk, configs, skipped map[string]string, before *RepoMap) *RepoMap {
	m := &RepoMap{scanner: s, filter: f, configs: configs, skipped: skipped}
	stale := staleChunks(chunks, before)
	m.resolver = newResolver(s, chunks, configs)
	if stale != nil {
		m.resolver.adopt(before.resolver)
	} else {
		m.resolver.configure()
	}
	m.chunks = slices.Clone(chunks)
	for i, c := range m.chunks {
		if stale == nil || stale[c.Path] {
			m.chunks[i] = m.resolver.resolve(c)
		}
	}
	m.connect()
	m.byPath = make(map[string]*Chunk, len(m.chunks))
	for _, c := range m.chunks {
		m.byPath[c.Path] = c
		m.tokens += c.Tokens
	}
	m.names = newNameIndex(m, before)
	m.fingerprint = sync.OnceValue(m.hash)
	return m
}

// staleChunks tells which chunks must be resolved again: nil means all. The
// import of a file leads elsewhere only if files came or went, or if the Go
// package it names changed what its files define.
func staleChunks(chunks []*Chunk, before *RepoMap) map[string]bool {
	if before == nil || len(chunks) != len(before.chunks) {
		return nil
	}
	stale := map[string]bool{}
	folders := map[string]bool{}
	for i, c := range chunks {
		old := before.chunks[i]
		if old.Path != c.Path {
			return nil
		}
		if old != c {
			stale[c.Path] = true
			folders[dirOf(c.Path)] = true
		}
	}
	for _, c := range chunks {
		if len(c.uses) > 0 && (folders[dirOf(c.Path)] || importsFrom(c, folders)) {
			stale[c.Path] = true
		}
	}
	return stale
}

func importsFrom(c *Chunk, folders map[string]bool) bool {
	for _, i := range c.Imports {
		if len(i.Paths) > 0 && folders[dirOf(i.Paths[0])] {
			return true
		}
	}
	return false
}

// connect inverts the graph and sets the importance that follows from it.
func (m *RepoMap) connect() {
	m.dependents = make(map[string][]string, len(m.chunks))
	for _, c := range m.chunks { // in order, so the lists are sorted
		for _, to := range c.deps {
			m.dependents[to] = append(m.dependents[to], c.Path)
		}
	}
	most := 0
	for _, from := range m.dependents {
		most = max(most, len(from))
	}
	for i, c := range m.chunks {
		want := importance(c.Type, len(m.dependents[c.Path]), most)
		if c.Importance != want {
			changed := *c
			changed.Importance = want
			m.chunks[i] = &changed
		}
	}
}

func (m *RepoMap) readsConfig(changed []string) bool {
	return slices.ContainsFunc(changed, func(p string) bool { return m.resolver.outside[p] })
}

// Chunks returns the files of the map, sorted by path. The caller must not
// change the slice.
func (m *RepoMap) Chunks() []*Chunk { return m.chunks }

// Chunk returns the file at a path.
func (m *RepoMap) Chunk(path string) (*Chunk, bool) {
	c, ok := m.byPath[path]
	return c, ok
}

// Dependencies returns the files that a file imports, sorted. In Go, where an
// import names a folder, these are the files that define what is used of it.
func (m *RepoMap) Dependencies(path string) []string {
	if c, ok := m.byPath[path]; ok {
		return slices.Clone(c.deps)
	}
	return nil
}

// Dependents returns the files that import a file, sorted.
func (m *RepoMap) Dependents(path string) []string {
	return slices.Clone(m.dependents[path])
}

// Skipped returns the files that match the patterns and could not be mapped.
func (m *RepoMap) Skipped() []Skipped { return sortedSkipped(m.skipped) }

// TotalTokens estimates the tokens of all files together.
func (m *RepoMap) TotalTokens() int { return m.tokens }

// EntryPoints returns the paths of the files where programs and packages begin.
func (m *RepoMap) EntryPoints() []string { return m.ofType(EntryPoint) }

// CoreModules returns the paths of the files under source folders that are
// nothing more special.
func (m *RepoMap) CoreModules() []string { return m.ofType(CoreModule) }

// ofType lists the files of one type, most important first.
func (m *RepoMap) ofType(t ChunkType) []string {
	var found []*Chunk
	for _, c := range m.chunks {
		if c.Type == t {
			found = append(found, c)
		}
	}
	slices.SortStableFunc(found, func(a, b *Chunk) int { return cmp.Compare(b.Importance, a.Importance) })
	paths := make([]string, len(found))
	for i, c := range found {
		paths[i] = c.Path
	}
	return paths
}

// Read returns a mapped file's text as it is now. It may differ from what the
// chunk was made of: compare [Chunk.Hash] before using a symbol's position.
func (m *RepoMap) Read(path string) (string, error) {
	if _, ok := m.byPath[path]; !ok {
		return "", fmt.Errorf("%s: not in the map", path)
	}
	text, err := m.scanner.root.ReadFile(path, m.scanner.opts.MaxFileSize)
	return string(text), err
}

// HashOf returns the hash that a chunk of this text has.
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
		fmt.Fprintf(h, "%q %s %q %d %v %q\n", c.Path, c.Hash, c.Partial, len(c.Symbols), c.Importance, c.deps)
	}
	for _, s := range m.Skipped() {
		fmt.Fprintf(h, "skipped %q %q\n", s.Path, s.Reason)
	}
	return hex.EncodeToString(h.Sum(nil))
}
