package pack

import (
	"container/list"
	"fmt"
	"sync"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
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

	found   *lru[[]retrieval.Hit]
	ranked  *lru[[]codebase.Ranked]
	sources *lru[*source]
	hashes  *lru[string]         // of files' texts, by the text
	counts  map[string]*lru[int] // by tokenizer, then text
}

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
	return &Memory{counts: map[string]*lru[int]{}, hashes: newLRU[string](keptHashes), found: newLRU[[]retrieval.Hit](keptQuestions),
		ranked: newLRU[[]codebase.Ranked](keptQuestions), sources: newLRU[*source](keptSources)}
}

// renew forgets what another tree or code said.
func (m *Memory) renew(t *tree.Snapshot, c *codebase.RepoMap) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tree != t {
		m.tree, m.facts, m.found = t, nil, newLRU[[]retrieval.Hit](keptQuestions)
	}
	if m.code != c {
		m.code, m.ranked, m.sources = c, newLRU[[]codebase.Ranked](keptQuestions), newLRU[*source](keptSources)
	}
}

// remembered returns what is kept under a key, or makes it. Two builds may make the same
// at once.
func remembered[V any](m *Memory, in func() *lru[V], key string, size int, makes func() (V, error)) (V, error) {
	m.mu.Lock()
	kept := in()
	v, ok := kept.get(key)
	m.mu.Unlock()
	if ok {
		return v, nil
	}
	v, err := makes()
	if err == nil {
		m.mu.Lock()
		kept.put(key, v, size) // where it was looked for: of the same tree and code
		m.mu.Unlock()
	}
	return v, err
}

func (m *Memory) hits(text string, search func() ([]retrieval.Hit, error)) ([]retrieval.Hit, error) {
	return remembered(m, func() *lru[[]retrieval.Hit] { return m.found }, text, 1, search)
}

func (m *Memory) ranking(of string, q codebase.Query, rank func() ([]codebase.Ranked, error)) ([]codebase.Ranked, error) {
	return remembered(m, func() *lru[[]codebase.Ranked] { return m.ranked }, fmt.Sprintf("%s %q %d %v %q %s", of, q.File, q.Offset, q.Boost, fmt.Sprint(q.Hints), q.Task), 1, rank)
}

// source is what a file can be shown with for the task. The cursor plays no part
// in it. The file is read each time: its text may change before the map does.
func (m *Memory) source(b *maker, path string, partial bool) *source {
	text := b.read(path).text
	key := fmt.Sprintf("%q %t %q %q %s", path, partial, b.task.Format, b.in.Tokenizer, b.task.Text)
	makes := func() (*source, error) { return newSource(b, path, text, partial), nil }
	s, _ := remembered(m, func() *lru[*source] { return m.sources }, key, 1, makes)
	if s.text != text {
		s, _ = makes()
	}
	return s
}

// present is a file as it is now.
type present struct {
	text string // "" with an error
	err  error
	hash func() string
}

// read reads a file, once for a pack.
func (b *maker) read(path string) present {
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

// hash is that of a text, as in [codebase.Chunk].
func (m *Memory) hash(text string) string {
	h, _ := remembered(m, func() *lru[string] { return m.hashes }, text, len(text), func() (string, error) { return codebase.HashOf(text), nil })
	return h
}

// countsOf are the counts by one tokenizer; m is locked.
func (m *Memory) countsOf(tokenizer string) *lru[int] {
	kept := m.counts[tokenizer]
	if kept == nil {
		kept = newLRU[int](keptCounts)
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
		n, _ = remembered(b.memory, func() *lru[int] { return b.memory.countsOf(b.in.Tokenizer) }, text, len(text), count)
	}
	b.counts[text] = n
	return n
}

// lru keeps what was used last, by a key, up to a size.
type lru[V any] struct {
	most, size int
	order      *list.List // of *kept[V], the last used in front
	at         map[string]*list.Element
}

type kept[V any] struct {
	key   string
	value V
	size  int
}

func newLRU[V any](most int) *lru[V] {
	return &lru[V]{most: most, order: list.New(), at: map[string]*list.Element{}}
}

func (l *lru[V]) get(key string) (v V, ok bool) {
	e, ok := l.at[key]
	if !ok {
		return v, false
	}
	l.order.MoveToFront(e)
	return e.Value.(*kept[V]).value, true
}

func (l *lru[V]) put(key string, v V, size int) {
	if _, ok := l.at[key]; ok || size > l.most {
		return
	}
	l.at[key] = l.order.PushFront(&kept[V]{key, v, size})
	for l.size += size; l.size > l.most; {
		last := l.order.Back()
		k := l.order.Remove(last).(*kept[V])
		delete(l.at, k.key)
		l.size -= k.size
	}
}
