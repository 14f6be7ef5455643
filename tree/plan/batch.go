package plan

import (
	"maps"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/tree"
)

// New plans a batch on a snapshot.
func New(s *tree.Snapshot, b Batch, in Inputs) *Plan {
	p := &Plan{Before: s, After: s, Inputs: in, Usage: s.Counters(),
		Touched: map[string]bool{}, Counted: map[string]bool{}, Moved: map[string]string{}}
	p.origin, p.author = b.Origin, b.Author
	if at := b.outdated(s); at != "" {
		p.Refuse(b, FailConflict, "not done because "+at+" changed in the meantime")
		return p
	}
	if !b.Origin.Human() {
		if wrong := p.misplaced(b); len(wrong) > 0 {
			p.refuseMisplaced(b, wrong)
			return p
		}
	}
	for i, op := range b.Ops {
		var found screened
		if i < len(b.found) {
			found = b.found[i]
		}
		p.add(i, op, b.Hold, found)
	}
	switch {
	case b.Atomic && p.Summary.Failed > 0:
		p.refuseAll()
	case b.Atomic && p.Summary.Pending > 0 && b.Hold != HoldAll:
		b.Hold = HoldAll // if one operation waits, all of them wait
		return New(s, b, in)
	case b.Hold == HoldAll:
		p.withdraw()
	}
	p.listDangling()
	return p
}

// withdraw restores the tree after held operations were planned on one another.
func (p *Plan) withdraw() {
	p.After, p.Usage, p.ownUsage, p.Touched, p.Counted, p.Moved = p.Before, p.Before.Counters(), false, nil, nil, nil
}

// listDangling adds to each result the relations of its entry that lead nowhere after the batch.
func (p *Plan) listDangling() {
	for i := range p.Results {
		p.Results[i].Dangling = append(p.Results[i].Dangling, p.unresolved(p.Results[i])...)
	}
}

// refuseAll turns an atomic batch with a failure into one that does nothing.
func (p *Plan) refuseAll() {
	p.withdraw()
	p.Held = nil
	p.Summary = Counts{Failed: len(p.Results)}
	for i := range p.Results {
		r := &p.Results[i]
		if r.Status != StatusFailed {
			r.Status, r.Code, r.NeedsReview = StatusFailed, FailAtomic, false
			r.doneNothing()
			r.Message = "not done because another operation of the batch failed"
		}
	}
}

// add plans one operation.
func (p *Plan) add(index int, op Op, hold Hold, found screened) {
	op.Type = op.Type.Normal()
	s := p.state()
	st, err := s.effect(op)
	if found.err != nil {
		err = found.err
	}
	if err == nil {
		err = s.unmerged(st)
	}
	if err == nil {
		err = p.sign(op, &st)
	}
	if err == nil {
		err = st.readable()
	}
	if err == nil && !p.origin.Human() {
		err = s.harmless(st)
	}
	if err == nil && !p.holds(op, st, hold) {
		err = p.Inputs.CheckSaved(st.texts())
	}
	if err == nil {
		s.recount(&st)
	}
	r := st.result
	r.Type, r.Path, r.Reason, r.Confidence, r.Impact, r.Redacted = op.Type, op.Path, op.Reason, op.Confidence, op.Impact, found.redacted
	if err != nil {
		r.Status, r.Message, r.Code = StatusFailed, err.Error(), FailInvalid
		if r.doneNothing(); p.show {
			r.Message += rejectIt
		}
		if f, ok := err.(*failure); ok {
			r.Code, r.Existing = f.code, f.existing
		}
		p.Results = append(p.Results, r)
		p.Summary.count(r, false)
		return
	}
	if r.Screened = found.note(); r.Screened != "" {
		r.Message += "; " + r.Screened
	}
	next := p.After.Update(st.files)
	p.Deletes += st.deletes(op)
	holds := p.holds(op, st, hold)
	if holds || p.show {
		diff := diffOf(p.After, next, slices.Sorted(maps.Keys(st.files)))
		for _, c := range p.Inputs.Stranded(p.After, next, st.removed()) {
			diff += c.String() + "\n"
		}
		p.Held = append(p.Held, Held{index, p.hashes(st.own), secrets.Redact(diff)})
	}
	if holds {
		r.Status, r.NeedsReview = StatusPending, true
		r.Message = Waits + r.Message
		if hold == HoldAll { // later operations see it, and are held too
			p.After = next
		}
	} else {
		r.Status = StatusSuccess
		r.NeedsReview = hold != HoldNone && !r.Unchanged && (op.Impact == "high" || slices.ContainsFunc(r.Losses, grave))
		p.After = next
		p.follow(st.removed())
		for at := range st.files {
			p.Touched[at] = true
		}
		p.count(st.usage)
	}
	p.Results = append(p.Results, r)
	p.Summary.count(r, st.made)
}
