package dream

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/brv-lsp/brv-lsp/dream/overlap"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// disputed begins the keys of questions about two entries that contradict each other. They name the
// statements, not the texts: who answers such a question changes the entries, and is not asked again.
const disputed = "dispute-"

// disputes reports whether a step asks about two entries that contradict each other.
func (s Step) disputes() bool { return strings.HasPrefix(s.Key, disputed) }

// disputedConfidence is that of such a question: of two statements on one thing that differ, the code
// does not know which holds, or whether both do.
const disputedConfidence = 0.5

// contradictions asks about entries that contradict each other, the most alike first; an entry takes
// part in one question, and what a bound cuts off is left to the next dream. Who approves one says
// that both hold: the older is confirmed, and the newer one gets a relation to it.
func (m material) contradictions(ctx context.Context, x *overlap.Index, pairs []overlap.Pair, busy map[string]bool) (steps []Step) {
	mine, left := map[string]bool{}, 0
	for _, p := range pairs {
		if ctx.Err() != nil {
			return nil
		}
		if !x.OneSubject(p) {
			continue
		}
		found := x.Differ(p)
		key := m.disputeKey(p, found)
		if len(found) == 0 || m.refused(key) {
			continue
		}
		if cut := len(steps) == maxAsked; cut || busy[p.A] || busy[p.B] || mine[p.A] || mine[p.B] {
			m.looked.leave(p.A, p.B)
			if cut {
				left++
			}
			continue
		}
		mine[p.A], mine[p.B] = true, true
		older, newer := m.older(p)
		ops := []plan.Op{{Type: plan.OpConfirm, Path: older}}
		keeps := "keep both"
		if !m.joined(newer, older) {
			ops = append(ops, plan.Op{Type: plan.OpUpdate, Path: newer, Upkeep: true,
				Content: format.Content{Relations: []string{older}}})
			keeps += ", linked"
		}
		steps = append(steps, Step{
			Phase: Consolidate, Action: TemporalUpdate, Inputs: []string{older, newer}, Output: older, Review: true,
			Confidence: disputedConfidence, Key: key,
			Reason: fmt.Sprintf("Do %s and %s contradict each other? %s. Approve it to %s, or with what %s should say now", older,
				newer, statements(older, p, found), keeps, older),
			Ops: ops,
		})
	}
	if left > 0 {
		m.note("consolidate: %d more pairs contradict each other; the next dream goes on", left)
	}
	return steps
}

// disputeKey names the statements in which a pair differs.
func (m material) disputeKey(p overlap.Pair, found []overlap.Difference) string {
	h := sha256.New()
	flip := p.B < p.A
	for _, d := range found {
		if flip {
			d.A, d.B = d.B, d.A
		}
		fmt.Fprintf(h, "%q %q\n", d.A, d.B)
	}
	fmt.Fprintln(h, min(p.A, p.B), max(p.A, p.B))
	return disputed + hex.EncodeToString(h.Sum(nil)[:12])
}

// older orders a pair by when its entries were last true.
func (m material) older(p overlap.Pair) (older, newer string) {
	a, _ := m.tree.Entry(p.A)
	b, _ := m.tree.Entry(p.B)
	_, trueA := m.tree.Counted(p.A)
	_, trueB := m.tree.Counted(p.B)
	if cmp.Or(trueA.Compare(trueB), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.Path, b.Path)) > 0 {
		a, b = b, a
	}
	return a.Path, b.Path
}

// Bounds of what a reason quotes.
const (
	maxQuoted = 160 // characters of a statement
	maxPairs  = 2   // pairs of statements
)

// statements are those in which a pair differs, of one of its entries first.
func statements(first string, p overlap.Pair, found []overlap.Difference) string {
	var out []string
	for _, d := range found[:min(len(found), maxPairs)] {
		if first != p.A {
			d.A, d.B = d.B, d.A
		}
		out = append(out, fmt.Sprintf("The first says %s, the second %s", quotation(d.A), quotation(d.B)))
	}
	if more := len(found) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, "; ")
}

// quotation is a statement in one line and in quotation marks.
func quotation(s string) string {
	s = strings.Join(strings.Fields(strings.ReplaceAll(s, "**", "")), " ")
	short, whole := cut(s, maxQuoted)
	if !whole {
		short = strings.TrimSpace(short) + "…"
	}
	return "“" + short + "”"
}

// differing is what the reason of a merge says of a pair that contradicts itself.
func differing(first string, p overlap.Pair, found []overlap.Difference) string {
	if len(found) == 0 {
		return ""
	}
	return ", but they contradict each other. " + statements(first, p, found) + ". Approve it with what holds"
}
