package retrieval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/retrieval/meaning"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// With an encoder (package meaning), a search also finds texts that say the same in other words. An encoder
// represents an entry by windows; the one nearest to the question counts.

// meant holds the vectors of an entry's windows.
type meant struct {
	by      *meaning.Store
	windows []meaning.Vector
	at      []markdown.Span
}

func (d *doc) meantBy(s *meaning.Store) bool {
	m := d.meant.Load()
	return m != nil && m.by == s
}

// maxWindows bounds the windows of one entry: 100 KiB of text.
const maxWindows = 128

// windows returns the texts of an entry for the encoder, without credentials: the title and summary together
// with consecutive blocks, as many as fit a passage.
func windows(e *format.Entry) (out []string, spans []markdown.Span) {
	head := e.Title + "\n"
	if e.Summary != "" && !strings.Contains(e.Body.Of(e.Text), e.Summary) {
		head += e.Summary + "\n"
	}
	at := markdown.Span{}
	flush := func() {
		if text := strings.TrimSpace(e.Shown(at)); text != "" && len(out) < maxWindows {
			out, spans = append(out, head+text), append(spans, at)
		}
	}
	for _, b := range blocksOf(e) {
		if at.End > at.Start && b.at.End-at.Start <= passageSize {
			at.End = b.at.End
			continue
		}
		flush()
		at = b.at
	}
	if flush(); len(out) == 0 {
		return []string{head}, []markdown.Span{{Start: e.Body.Start, End: e.Body.Start}}
	}
	return out, spans
}

// An encoder's cosines are standardised for each question, since they lie between .7 and .9 with one encoder
// and between .1 and .6 with another. The standardised value is the number of standard deviations by which an
// entry is nearer than all are on average.
//
// The weights are fitted on questions about four repositories' documents and on four of the knowledge sets,
// with bge-small-en; each repository and set left out in turn gives the same order within .05
// (docs/ranking.md).
const (
	// likeWeight is the weight of a standard deviation in the order, as a share of the question's rarity.
	likeWeight = 0.3

	// A logistic regression as in domain.go, of whether documents cover the question.
	likeBase  = -4.9
	likeHeld  = 8.5
	likeNear  = 0.9  // for each standard deviation of the nearest section
	likeSure  = 0.3  // from here the documents surely cover the question
	likeThere = -1.7 // from here passages are shown: loses 3 % of the own questions of a repository left out

	// If the words alone would refuse a question, passages are shown, as unsure, if the nearest entry stands
	// out: likeBeyond above the largest value expected by chance among so many, the root of 2 ln n. A third
	// of the foreign questions about knowledge sets reach that, and half of the own ones. With fewer than
	// spreadOf entries the spread is meaningless, and the nearest is shown.
	likeBeyond = 0.3
	spreadOf   = 20
)

// likeDepth is the number of entries nearest in meaning that are considered besides those with the words.
const likeDepth = 30

// kin is the similarity of an entry to a question in meaning: that of its most similar window.
type kin struct {
	cosine float64
	at     markdown.Span
}

// likeness compares entries with a question by their vectors.
type likeness struct {
	of     map[uint32]kin // by document number; only entries that the encoder has read
	first  []uint32       // the nearest, best first
	mean   float64        // of all cosines
	spread float64        // their standard deviation; encoders differ in both values
	unread int
}

// likeness compares a question with the entries of a population. It is nil if there is no encoder, or the
// reason why it gave no result.
func (x *Index) likeness(ctx context.Context, q Query, pop *population) (*likeness, error) {
	if !q.ByMeaning || x.learn == nil {
		return nil, nil
	}
	s := x.learn(ctx, q.Wait)
	if s == nil {
		return nil, nil
	}
	asked, err := s.Question(ctx, q.Text)
	if err != nil {
		return nil, err
	}
	n := &likeness{of: map[uint32]kin{}}
	sum, squares := 0.0, 0.0
	for i, d := range x.docs {
		if d == nil || !pop.holds(d) {
			continue
		}
		if !d.meantBy(s) {
			n.unread++
			continue
		}
		best, m := kin{cosine: -1}, d.meant.Load()
		for j, v := range m.windows {
			if c := asked.Cosine(v); c > best.cosine {
				best = kin{c, m.at[j]}
			}
		}
		n.of[uint32(i)] = best
		n.first = append(n.first, uint32(i))
		sum += best.cosine
		squares += best.cosine * best.cosine
	}
	count := float64(max(1, len(n.first)))
	n.mean = sum / count
	n.spread = math.Sqrt(max(0, squares/count-n.mean*n.mean))
	slices.SortFunc(n.first, func(a, b uint32) int { return cmp.Or(cmp.Compare(n.of[b].cosine, n.of[a].cosine), cmp.Compare(a, b)) })
	n.first = n.first[:min(likeDepth, len(n.first))]
	return n, nil
}

// note returns why the encoder's part of the search is missing or incomplete.
func (n *likeness) note(err error) string {
	switch {
	case err != nil:
		return fmt.Sprintf("searched by words only: %v", err)
	case n != nil && n.unread > 0:
		return fmt.Sprintf("the encoder has not read %d of %d passages yet", n.unread, n.unread+len(n.of))
	}
	return ""
}

// has reports whether an entry is one of the nearest.
func (n *likeness) has(doc uint32) bool { return n != nil && slices.Contains(n.first, doc) }

// join appends the entries nearest in meaning, even those without a word of the question, to the best
// candidates.
func (n *likeness) join(found []candidate, most int) []candidate {
	out := found[:min(most, len(found))]
	if n == nil {
		return out
	}
	for _, c := range found[len(out):] {
		if n.has(c.doc) {
			out = append(out, c)
		}
	}
	for _, doc := range n.first {
		if !slices.ContainsFunc(out, func(c candidate) bool { return c.doc == doc }) {
			out = append(out, candidate{doc: doc})
		}
	}
	return out
}

// standing is the nearness of an entry, in standard deviations; 0 without an encoder's result.
func (n *likeness) standing(doc uint32) float64 {
	if n == nil || n.spread < 1e-6 {
		return 0
	}
	a, ok := n.of[doc]
	if !ok {
		return 0
	}
	return (a.cosine - n.mean) / n.spread
}
