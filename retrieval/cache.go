package retrieval

import (
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/retrieval/alike"
	"github.com/brv-lsp/brv-lsp/retrieval/words"
)

// The first two tiers answer from what was answered before: tier 0 the same question,
// tier 1 one that says the same (package alike). An answer holds for the tree it was
// given from, and the code if it rests on that, in the same scope and under the same limits, and not for long.

const (
	// answerLife is how long an answer is given again (specification, "Query
	// Intelligence": cached results expire after 60 seconds).
	answerLife = 60 * time.Second

	// answersKept bounds the answers remembered; the fuzzy tier looks at each of
	// them. The reference system keeps 50, which an agent's burst of questions
	// outruns within a minute.
	answersKept = 256
)

// answers remembers answers for as long as they hold.
type answers struct{ *alike.Memory[Answer] }

// signature is what a question is compared by.
type signature struct {
	key alike.Key // of the text and the bounds
	alike.Asked
}

// newAnswers returns an empty memory. A nil clock is time.Now.
func newAnswers(now func() time.Time) *answers {
	if now == nil {
		now = time.Now
	}
	return &answers{alike.NewMemory(answersKept, answerLife, now, Answer.clone)}
}

// sign reads a query: its normalised text and bounds for the exact cache, its words
// for the fuzzy one, which compares a scope in the text too.
func sign(q Query) signature {
	bounds := q.bounds()
	s := signature{alike.KeyOf(q.Text, bounds), alike.Asked{Text: q.Text, Bounds: bounds, Question: alike.Read(q.Text)}}
	if s.Question != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(words.Narrow(q.Text)), " ")
		if strings.ContainsAny(first, `/\`) { // it may be a scope, and only in front
			s.Bounds += "\x00" + foldPath(strings.TrimRight(first, ",:;"))
		}
	}
	return s
}

// bounds are what of a query decides on its answer beside its text, as one string. The
// highest tier does not: the ladder looks at who gave a remembered answer.
func (q Query) bounds() string {
	b := binary.AppendVarint(nil, int64(q.limit()))
	if q.Compound {
		b = append(b, 'c')
	}
	return string(append(append(b, 0), foldPath(q.Scope)...))
}

// exact returns the answer to the same question (tier 0), as it was kept.
func (c *answers) exact(s signature, now alike.Basis) (Answer, bool) { return c.Same(s.key, now) }

// fuzzy returns the answer to a question that says the same (tier 1), as it was kept,
// and the text of that question.
func (c *answers) fuzzy(s signature, now alike.Basis) (a Answer, asked string, ok bool) {
	return c.Like(s.Asked, now)
}

// keep remembers an answer with what it rests on: the tree, and the code if the model
// looked at that.
func (c *answers) keep(s signature, now alike.Basis, a Answer) {
	if !a.readCode {
		now.Code = ""
	}
	c.Keep(s.key, s.Asked, now, a)
}

// clone copies an answer with everything in it that a caller could change.
func (a Answer) clone() Answer {
	a.Sources = slices.Clone(a.Sources)
	a.Hits = slices.Clone(a.Hits)
	for i := range a.Hits {
		h := &a.Hits[i]
		h.Matched = slices.Clone(h.Matched)
		h.Why.Terms = slices.Clone(h.Why.Terms)
		for j := range h.Why.Terms {
			t := &h.Why.Terms[j]
			t.Terms, t.Fields = slices.Clone(t.Terms), slices.Clone(t.Fields)
		}
	}
	return a
}
