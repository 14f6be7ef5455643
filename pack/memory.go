package pack

import (
	"context"
	"fmt"
	"sync"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/lru"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Memory keeps what one pack found out for the next about the same tree and code: hits,
// rankings, what files can be shown with, and what texts count. What depends on the tree
// or the code goes with it. It is bounded, and safe for concurrent use; a pack is the
// same with and without.
type Memory struct {
	mu    sync.Mutex
	tree  *tree.Snapshot
	code  *codebase.RepoMap
	facts map[string][]factAt // of the tree, once it is known

	found   *cache[[]retrieval.Hit]
	ranked  *cache[[]codebase.Ranked]
	sources *cache[*source]
	hashes  *cache[string]         // of files' texts, by the text
	counts  map[string]*cache[int] // by tokenizer, then text
}

// factAt is a fact and the entry that states it.
type factAt struct {
	entry *format.Entry
	value string // what the fact says, folded
}

// cache keeps what was used last, by a text.
type cache[V any] = lru.Cache[string, V]

// How much is kept: questions, files, bytes of counted text for each tokenizer, and bytes
// of hashed text, which the map keeps as well.
const (
	keptQuestions = 16
	keptSources   = 512
	keptCounts    = 4 << 20
	keptHashes    = 8 << 20
)

// NewMemory returns an empty memory.
func NewMemory() *Memory {
	return &Memory{
		counts: map[string]*cache[int]{}, hashes: lru.New[string, string](keptHashes),
		found: lru.New[string, []retrieval.Hit](keptQuestions), ranked: lru.New[string, []codebase.Ranked](keptQuestions),
		sources: lru.New[string, *source](keptSources),
	}
}

// renew forgets what another tree or code said.
func (m *Memory) renew(t *tree.Snapshot, c *codebase.RepoMap) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tree != t {
		m.tree, m.facts, m.found = t, nil, lru.New[string, []retrieval.Hit](keptQuestions)
	}
	if m.code != c {
		m.code, m.sources = c, lru.New[string, *source](keptSources)
		m.ranked = lru.New[string, []codebase.Ranked](keptQuestions)
	}
}

// remembered returns what is kept under a key, or makes it. Two builds may make the same
// at once.
func remembered[V any](m *Memory, in func() *cache[V], key string, size int, makes func() (V, error)) (V, error) {
	m.mu.Lock()
	kept := in()
	v, ok := kept.Get(key)
	m.mu.Unlock()
	if ok {
		return v, nil
	}
	v, err := makes()
	if err == nil {
		m.mu.Lock()
		kept.Add(key, v, size) // where it was looked for: of the same tree and code
		m.mu.Unlock()
	}
	return v, err
}

// hits returns the best entries for a text.
func (b *maker) hits(ctx context.Context, text string, most int) ([]retrieval.Hit, error) {
	return remembered(b.memory, func() *cache[[]retrieval.Hit] { return b.memory.found }, fmt.Sprint(most, " ", text), 1,
		func() ([]retrieval.Hit, error) { return b.in.Search(ctx, text, most) })
}

func (m *Memory) ranking(of string, q codebase.Query, rank func() ([]codebase.Ranked, error)) ([]codebase.Ranked, error) {
	return remembered(m, func() *cache[[]codebase.Ranked] { return m.ranked }, fmt.Sprintf("%s %q %d %v %q %s", of, q.File, q.Offset,
		q.Boost, fmt.Sprint(q.Hints), q.Task), 1, rank)
}

// source holds the text and the ranked symbols of a file for the task. The cursor plays no part
// in it. The file is read each time: its text may change before the map does.
func (m *Memory) source(b *maker, path string, partial bool) *source {
	text := b.read(path).text
	key := fmt.Sprintf("%q %t %q %s", path, partial, b.in.Tokenizer, b.task.Text)
	makes := func() (*source, error) { return newSource(b, path, text, partial), nil }
	s, _ := remembered(m, func() *cache[*source] { return m.sources }, key, 1, makes)
	if s.text != text {
		s, _ = makes()
	}
	return s
}

// currentFile is a file as it is now.
type currentFile struct {
	text string // "" with an error
	err  error
	hash func() string
}

// read reads a file, once for a pack.
func (b *maker) read(path string) currentFile {
	now, ok := b.texts[path]
	if !ok {
		if now.text, now.err = b.in.Code.Read(path); now.err != nil {
			now.text = ""
		}
		now.hash = sync.OnceValue(func() string { return b.memory.hash(now.text) })
		b.texts[path] = now
	}
	return now
}

// hash returns the hash of a text, as in [codebase.Chunk].
func (m *Memory) hash(text string) string {
	h, _ := remembered(m, func() *cache[string] { return m.hashes }, text, len(text),
		func() (string, error) { return codebase.HashOf(text), nil })
	return h
}

// countsOf are the counts by one tokenizer; m is locked.
func (m *Memory) countsOf(tokenizer string) *cache[int] {
	kept := m.counts[tokenizer]
	if kept == nil {
		kept = lru.New[string, int](keptCounts)
		m.counts[tokenizer] = kept
	}
	return kept
}

// count counts a text by the caller's tokenizer, each text once: also in other packs
// where the tokenizer has a name.
func (b *maker) count(text string) int {
	n, ok := b.counts[text]
	if ok {
		return n
	}
	count := func() (int, error) { return b.in.Count(text), nil }
	if b.in.Tokenizer == "" {
		n, _ = count()
	} else {
		n, _ = remembered(b.memory, func() *cache[int] { return b.memory.countsOf(b.in.Tokenizer) }, text, len(text), count)
	}
	b.counts[text] = n
	return n
}
