package retrieval

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/brv-lsp/brv-lsp/retrieval/alike"
)

// The first two tiers reuse earlier answers: tier 0 the answer to the same question, tier 1 the answer to one
// that is alike (package alike). An answer is valid for a short time, for the same tree, for the same code if
// it used code, and for the same scope and limits.

const (
	// answerLife is how long an answer is given again (specification, "Query
	// Intelligence": cached results expire after 60 seconds).
	answerLife = 60 * time.Second

	// answersKept bounds the number of remembered answers. The reference system keeps 50, but an agent asks
	// more questions than that within a minute.
	answersKept = 256
)

// newAnswers returns an empty memory of answers. A nil clock is time.Now.
func newAnswers(now func() time.Time) *alike.Memory[Answer] {
	if now == nil {
		now = time.Now
	}
	return alike.NewMemory(answersKept, answerLife, now, Answer.clone)
}

// question is a query in the form in which it is compared with earlier ones.
func (q Query) question() alike.Question { return alike.Read(q.Text, q.bounds()) }

// bounds returns, as one string, the parts of a query besides its text that its answer depends on. The
// highest tier is not among them: the ladder checks who gave a remembered answer.
func (q Query) bounds() string {
	b := binary.AppendVarint(nil, int64(q.limit()))
	b = append(append(b, 0), foldPath(q.Scope)...)
	for _, text := range q.Also {
		b = append(append(b, 0), text...)
	}
	return string(b)
}

// basis returns the part of the present state that an answer depends on: the tree, and the code if the model
// looked at it.
func (a Answer) basis(now alike.Basis) alike.Basis {
	if !a.readCode {
		now.Code = ""
	}
	return now
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
