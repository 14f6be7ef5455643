package alike

import (
	"slices"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/lru"
)

// Basis is the state that an answer depends on, or the present state: fingerprints of the context tree and of
// the code. A field of an answer's basis is empty if the answer did not use that part.
type Basis struct{ Tree, Code string }

// holds reports whether everything that an answer depends on is unchanged. An answer with an empty basis
// never holds, since there would be no sign that it has become wrong.
func (b Basis) holds(now Basis) bool {
	return b != Basis{} && (b.Tree == "" || b.Tree == now.Tree) && (b.Code == "" || b.Code == now.Code)
}

// outdated reports whether something that an answer depends on is known to have changed; fields that are
// empty in now are unknown.
func (b Basis) outdated(now Basis) bool {
	return b.Tree != "" && now.Tree != "" && b.Tree != now.Tree || b.Code != "" && now.Code != "" && b.Code != now.Code
}

// Memory remembers answers, and returns them for the same question or one that is alike, as long as their
// basis is unchanged and they are young (specification "SemanticCache"). It is bounded and safe for
// concurrent use.
type Memory[A any] struct {
	now   func() time.Time
	life  time.Duration
	clone func(A) A

	mu   sync.Mutex
	kept *lru.Cache[Key, *remembered[A]] // by Question.Exact
}

// remembered is an answer with the question that it was given to.
type remembered[A any] struct {
	question Question
	basis    Basis
	answer   A
	at       time.Time
}

// NewMemory returns an empty memory of at most size answers, at least 1; each is returned for less than life.
// Clone copies an answer with everything in it that a caller could change.
func NewMemory[A any](size int, life time.Duration, now func() time.Time, clone func(A) A) *Memory[A] {
	return &Memory[A]{now: now, life: life, clone: clone, kept: lru.New[Key, *remembered[A]](max(size, 1))}
}

// Len is the number of answers remembered.
func (m *Memory[A]) Len() int {
	n, _ := m.kept.Size()
	return n
}

// Same returns the stored answer to the same question.
func (m *Memory[A]) Same(q Question, now Basis) (answer A, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.kept.Get(q.Exact)
	if !ok || !m.serves(r, now) {
		return answer, false
	}
	return m.clone(r.answer), true
}

// Like returns the stored answer to a question that is alike, with the text of that question. Of several it
// returns the one used last.
func (m *Memory[A]) Like(q Question, now Basis) (answer A, text string, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, k := range slices.Backward(m.kept.Keys()) {
		if r, _ := m.kept.Peek(k); q.Alike(r.question) && m.serves(r, now) {
			return m.clone(r.answer), r.question.Text, true
		}
	}
	return answer, "", false
}

// Keep stores an answer, and forgets those with another basis. Pass only answers that were newly found: one
// from the memory would have its life extended.
func (m *Memory[A]) Keep(q Question, rests Basis, answer A) {
	r := &remembered[A]{q, rests, m.clone(answer), m.now()}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, k := range m.kept.Keys() {
		if old, ok := m.kept.Peek(k); ok && old.basis.outdated(rests) {
			m.kept.Remove(k)
		}
	}
	m.kept.Add(q.Exact, r, 1)
}

// serves reports whether an answer holds and is young enough. An answer from the future is not served: the
// clock was set back, so its age is unknown.
func (m *Memory[A]) serves(r *remembered[A], now Basis) bool {
	age := m.now().Sub(r.at)
	return r.basis.holds(now) && age >= 0 && age < m.life
}
