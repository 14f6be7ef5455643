package store

import (
	"slices"

	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// Wait describes a proposed operation whose entry already has an operation that waits for a review.
type Wait struct {
	Batch    int    // the batch of the waiting operation
	Path     string // of the entry
	Same     bool   // the waiting operation is the same, and could be approved; otherwise it is another draft of a new entry
	Verbatim bool   // the proposal is identical to the whole waiting batch: [Store.Apply] reports that
}

// Waits returns the operations of a batch, by index, that would be held although the same operation, or
// another draft of the same new entry, already waits. Entries with several operations in the batch are left
// out: these depend on each other.
func (q *Reviews) Waits(b plan.Batch) map[int]Wait {
	batches, err := q.Waiting()
	if err != nil || len(batches) == 0 || b.Check() != nil {
		return nil // an unreadable review does not block a proposal
	}
	b = b.Screen()
	b.Hold = plan.HoldAll
	p := plan.New(q.reader.Snapshot(), b, q.inputs(plan.TakesAway(b.Ops)))
	now := plan.New(q.reader.Snapshot(), plan.Batch{}, p.Inputs)
	uses := map[string]int{}
	for _, r := range p.Results {
		uses[r.FilePath]++
	}
	out := map[int]Wait{}
	for _, id := range batches {
		w, _, err := q.read(id)
		if err != nil || !slices.ContainsFunc(w.Items, func(i plan.ReviewItem) bool { return uses[i.Path] > 0 }) || q.recall(w) != nil {
			continue
		}
		exact := 0
		for i, r := range p.Results {
			kind := b.Ops[i].Type.Normal()
			if out[i].Same || r.Status != plan.StatusPending || uses[r.FilePath] > 1 || kind != plan.OpAdd && kind != plan.OpUpdate &&
				kind != plan.OpUpsert {
				continue
			}
			for _, item := range w.Items {
				switch {
				case item.Path != r.FilePath || item.Unknown || !item.Held:
				case item.Op.Says() == b.Ops[i].Says() && now.ChangedSince(item) == "":
					out[i] = Wait{Batch: id, Path: r.FilePath, Same: true}
					if item.Op.Reason == b.Ops[i].Reason {
						exact++
					}
				case kind == plan.OpAdd && item.Op.Type.Normal() == plan.OpAdd:
					out[i] = Wait{Batch: id, Path: r.FilePath}
				}
			}
		}
		for i, o := range out {
			if o.Batch == id && o.Same {
				o.Verbatim = exact == len(w.Items)
				out[i] = o
			}
		}
	}
	return out
}
