package pack

import (
	"context"
	"fmt"
)

// Build fills the task's budget. Without any candidate the pack is empty.
func Build(ctx context.Context, in Inputs, task Task) (Pack, error) {
	if task.Budget <= 0 {
		return Pack{}, fmt.Errorf("%w: %d tokens", ErrBudget, task.Budget)
	}
	b := newMaker(ctx, in, task)
	candidates, err := b.gather()
	if err != nil {
		return Pack{}, err
	}
	p := b.filled(candidates)
	if err := ctx.Err(); err != nil {
		return Pack{}, err
	}
	if len(p.Items) > 0 || len(candidates) == 0 {
		return p, nil
	}
	// A budget of a few tokens: what was chosen by its estimate did not fit.
	least, tokens := b.smallest(candidates)
	if tokens <= task.Budget {
		if p = b.filled([]*candidate{least}); len(p.Items) > 0 {
			return p, nil
		}
	}
	return Pack{}, fmt.Errorf("%w: %d tokens; the smallest answer needs %d", ErrBudget, task.Budget, tokens)
}

// filled fills the budget with candidates.
func (b *maker) filled(candidates []*candidate) Pack {
	f := newFiller(b, candidates)
	f.fill()
	text, tokens := f.fit()
	p := Pack{Text: text, Tokens: tokens, Budget: b.task.Budget, Pending: b.in.Code.Pending(), Degraded: b.degraded}
	for _, s := range f.ordered() {
		shown := b.item(s, s.shown())
		shown.Pinned = s.pinned
		p.Items = append(p.Items, shown)
	}
	if p.Items == nil {
		p.Items = []Item{}
	}
	p.Missed = f.missed()
	p.Ended = f.ended()
	return p
}
