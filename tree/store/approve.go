package store

import (
	"context"
	"fmt"

	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// Approve does what was held, for the named items or all, and accepts what was
// done already. A held operation is planned anew on the tree as it is; where its
// own entries changed since it was proposed it fails and goes on waiting.
//
// A text of the decision takes the place of the one that the operation would give its entry;
// all else that the operation does is done. It is a person's own: what would not be readable
// is refused, with its line, and what looks like a credential is named, not changed.
func (s *Store) Approve(ctx context.Context, id int, author string, d plan.Decision) (*plan.Report, error) {
	author = plan.ClearText(author)
	for range maxReplans {
		report, err := s.approve(ctx, id, author, d)
		if again, err := s.catchUp(ctx, err); !again {
			return report, err
		}
	}
	return nil, fmt.Errorf("batch %d: other writers keep changing the same files; try again", id)
}

func (s *Store) approve(ctx context.Context, id int, author string, d plan.Decision) (*plan.Report, error) {
	r, data, err := s.Reviews.load(id)
	if err != nil {
		return nil, err
	}
	chosen, rest, err := r.divide(d.Paths)
	if err != nil {
		return nil, err
	}
	if err := d.Check(id, chosen); err != nil {
		return nil, err
	}
	p, again := s.Reviews.planHeld(r, chosen, author, d)
	if len(again) == len(chosen) {
		return p.Report(), nil
	}
	h, stayed, err := s.journal.Commit(ctx, func(int) (any, []txn.Change, error) {
		usage, changes, err := s.writes(p)
		if err != nil {
			return nil, nil, err
		}
		changes = append(changes, r.remaining(data, append(rest, again...)))
		m := meta{Action: actApprove, Author: author, Origin: r.Origin, Of: id, Ops: plan.Operations(chosen), Results: plan.Kept(p.Results), Usage: usage, Edited: p.Edited}
		if len(p.Edited) > 0 {
			m.EditedBy = d.Origin.Named()
		}
		return m, changes, nil
	})
	if err != nil {
		return nil, err
	}
	return report(p, h, stayed), s.show(ctx, h)
}
