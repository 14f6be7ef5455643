package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// maxReplans bounds how often a batch is planned again because somebody else changed the same files
// meanwhile.
const maxReplans = 20

// Apply carries out a batch: all its files change in one transaction, which survives crashes and never
// overwrites an edit made meanwhile. The report describes every operation. An error means that nothing was
// done for a reason outside of the operations: the disk, the lock, an unreadable journal.
func (s *Store) Apply(ctx context.Context, b plan.Batch) (*plan.Report, error) {
	if err := b.Check(); err != nil {
		return nil, err
	}
	b = b.Screen()
	if err := s.readNamed(ctx, b.Ops); err != nil {
		return nil, err
	}
	for range maxReplans {
		p := plan.New(s.Snapshot(), b, s.inputs(plan.TakesAway(b.Ops)))
		if !b.Origin.Human() && p.Deletes > plan.MaxProposedDeletes {
			return nil, plan.TooManyDeletes(p.Deletes)
		}
		if full := s.overfull(p); full != "" {
			return refused(b, plan.FailFull, full), nil
		}
		if b.DryRun {
			told := p.Report()
			told.Diff, told.Comments = p.Preview(), p.Comments()
			return told, nil
		}
		if p.Idle() {
			return p.Report(), nil
		}
		report, err := s.commit(ctx, p, b)
		if twin := (*twinError)(nil); errors.As(err, &twin) {
			told := waited(p, twin.batch)
			told.Held = s.Reviews.diff(twin.batch)
			return told, nil
		}
		again, err := s.catchUp(ctx, err)
		if saving := (*savingError)(nil); errors.As(err, &saving) {
			return refused(b, plan.FailConflict, "not done: "+saving.Error()), nil
		}
		if !again {
			return report, err
		}
	}
	return refused(b, plan.FailConflict, "not done because other programs keep changing the same files; try again"), nil
}

// readNamed reads the files that operations name, if the tree was only read in part. It first checks whether
// that is still the case.
func (s *Store) readNamed(ctx context.Context, ops []plan.Op) error {
	if !s.partial() {
		return nil
	}
	var named []string
	for _, op := range ops {
		for _, p := range []string{op.Path, op.MergeTarget} {
			if p != "" && len(named) < maxTouched {
				named = append(named, p)
			}
		}
	}
	_, err := s.Refresh(ctx)
	if err == nil && len(named) > 0 {
		_, err = s.Refresh(ctx, named...)
	}
	return err
}

// overfull returns the reason why a plan that adds files to a full tree is refused, "" if it is not.
func (s *Store) overfull(p *plan.Plan) string {
	grows := 0
	for _, at := range p.Changed() {
		_, was := p.Before.Entry(at)
		_, is := p.After.Entry(at)
		switch {
		case !counts(at):
		case is && !was:
			grows++
		case was && !is:
			grows--
		}
	}
	if grows <= 0 {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	holds := s.quota.counted
	if len(s.quota.left) == 0 { // the last walk left no file out, so seen lists all
		holds = 0
		for at := range s.seen {
			if counts(at) {
				holds++
			}
		}
	}
	if holds += grows; holds <= s.quota.most {
		return ""
	}
	return fmt.Sprintf("not done because the tree would have %d files (limit: %d); archive or delete entries first",
		holds, s.quota.most)
}

// waited is the report of a plan whose operations all wait for a review already.
func waited(p *plan.Plan, batch int) *plan.Report {
	for i := range p.Results {
		if r := &p.Results[i]; r.Status == plan.StatusPending {
			r.Message = fmt.Sprintf("Already waits for review in batch %d. When approved: %s", batch, plan.WhenApproved(r.Message))
		}
	}
	told := p.Report()
	told.Batch, told.Waited = batch, true
	return told
}

// catchUp refreshes the snapshot if a commit failed because it was outdated; again tells that a second
// attempt may succeed.
func (s *Store) catchUp(ctx context.Context, failed error) (again bool, err error) {
	var conflict *txn.ConflictError
	var saving *savingError
	var paths []string
	switch {
	case errors.As(failed, &saving):
		paths = saving.paths
	case errors.As(failed, &conflict):
		paths = inTreePaths(conflict.Paths)
	case !errors.Is(failed, errUsed):
		return false, failed
	}
	if len(paths) == 0 {
		s.refreshUsage()
		return true, nil
	}
	if err = s.saving.outwait(ctx, s.Snapshot(), paths); err == nil {
		_, err = s.Refresh(ctx, paths...)
	}
	return err == nil, err
}

// errUsed is returned if a use of an entry was counted between planning and commit: the counts to be written are
// outdated.
var errUsed = errors.New("counted meanwhile")

// refused is the report of a batch that is not done.
func refused(b plan.Batch, code plan.Failure, why string) *plan.Report {
	p := &plan.Plan{}
	p.Refuse(b, code, why)
	return &plan.Report{Results: p.Results, Summary: p.Summary}
}

// commit writes a plan.
func (s *Store) commit(ctx context.Context, p *plan.Plan, b plan.Batch) (*plan.Report, error) {
	aside := ""
	header, stayed, err := s.journal.Commit(ctx, func(id int) (any, []txn.Change, error) {
		usage, changes, err := s.writes(p)
		if err != nil {
			return nil, nil, err
		}
		if r := review(p, id, b); r != nil {
			if len(p.Changed()) == 0 {
				if err := s.Reviews.twin(r); err != nil {
					return nil, nil, err
				}
			}
			if aside, err = s.setAside(reviewFile(id)); err != nil {
				return nil, nil, err
			}
			data := r.encode()
			if n := int64(len(data)); n > s.maxState {
				return nil, nil, fmt.Errorf("the proposal has %d bytes (limit: %d); propose it in parts", n, s.maxState)
			}
			changes = append(changes, txn.Change{Path: reviewFile(id), After: &txn.Image{Data: data}})
		}
		return meta{Action: actApply, Author: b.Author, Origin: b.Origin, Ops: b.Ops, Results: plan.Kept(p.Results), Usage: usage},
			changes, nil
	})
	if err != nil {
		return nil, err
	}
	r := report(p, header, stayed)
	for _, h := range p.Held {
		r.Held += h.Diff
	}
	if aside != "" {
		r.Results[0].Message += "; an unknown review file had the same number and was moved to .brv/" + aside
	}
	return r, s.show(ctx, header)
}

// Approve carries out the held operations of the named items, or all, and accepts those that were done
// already. A held operation is planned anew on the present tree. If one of its own entries changed since the
// proposal, it fails and keeps waiting.
//
// A text in the decision replaces the text that the operation would give its entry; its other effects stay.
// The text is a person's own: an unreadable one is refused with the line of the problem, and a possible
// credential is reported, not changed.
func (s *Store) Approve(ctx context.Context, id int, author string, d plan.Decision) (*plan.Report, error) {
	author = plan.ClearText(author)
	for range maxReplans {
		report, err := s.approve(ctx, id, author, d)
		if again, err := s.catchUp(ctx, err); !again {
			return report, err
		}
	}
	return nil, fmt.Errorf("batch %d was not approved: other programs keep changing the same files; try again", id)
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
	if err := s.readNamed(ctx, plan.Operations(chosen)); err != nil {
		return nil, err
	}
	p, again := s.Reviews.planHeld(s.inputs(plan.TakesAway(plan.Operations(chosen))), r, chosen, author, d, false)
	if full := s.overfull(p); full != "" {
		return nil, errors.New(full)
	}
	if len(again) == len(chosen) {
		return p.Report(), nil
	}
	h, stayed, err := s.journal.Commit(ctx, func(int) (any, []txn.Change, error) {
		usage, changes, err := s.writes(p)
		if err != nil {
			return nil, nil, err
		}
		changes = append(changes, r.remaining(data, append(rest, again...)))
		m := meta{Action: actApprove, Author: author, Origin: r.Origin, Of: id, Ops: plan.Operations(chosen),
			Results: plan.Kept(p.Results), Usage: usage, Edited: p.Edited}
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

// writes are the changes of a plan, those of counters included; errUsed where
// the counters are not what it was made from, [*savingError] where an entry is being saved that is to be
// held. The lock is held.
func (s *Store) writes(p *plan.Plan) (map[string]usageStep, []txn.Change, error) {
	for _, h := range p.Held { // the journal does not change these files, and so does not compare them
		if err := s.saving.ready(p.Before, slices.Collect(maps.Keys(h.Base))); err != nil {
			return nil, nil, err
		}
	}
	steps := usageSteps(p)
	usage, changes, err := s.counters.changes(steps)
	if err == nil && !maps.EqualFunc(steps, usage, usageStep.equal) {
		err = errUsed
	}
	return usage, append(fileChanges(p), changes...), err
}

// report describes a plan that was committed. An operation fails if somebody edited one of its files at that
// very moment: the edit stays, and the record has the text that would have been written.
func report(p *plan.Plan, h txn.Header, stayed []string) *plan.Report {
	r := p.Report()
	r.Batch, r.Files, r.Kept, r.Comments = h.ID, changedFiles(h), inTreePaths(stayed), p.Comments()
	for _, at := range r.Kept {
		for i := range r.Results {
			res := &r.Results[i]
			if res.Status == plan.StatusSuccess && (res.FilePath == at || slices.Contains(res.AlsoChanged, at)) {
				res.Status, res.Code, res.NeedsReview = plan.StatusFailed, plan.FailConflict, false
				res.Message = "not done in " + at + " because somebody edited it at the same time; check it and try again"
				r.Summary.Failed++
			}
		}
	}
	return r
}

// fileChanges are the file changes of a plan, as the journal takes them.
func fileChanges(p *plan.Plan) []txn.Change {
	var out []txn.Change
	for _, at := range p.Changed() {
		out = append(out, txn.Change{Path: tree.Dir + "/" + at, Before: imageOf(p.Before, at), After: imageOf(p.After, at)})
	}
	return out
}

func imageOf(s *tree.Snapshot, at string) *txn.Image {
	e, ok := s.Entry(at)
	if !ok {
		return nil
	}
	return &txn.Image{Data: []byte(e.Text)}
}

// usageSteps are the changes of counters that a plan needs.
func usageSteps(p *plan.Plan) map[string]usageStep {
	out := map[string]usageStep{}
	for entry := range p.Counted {
		out[entry] = usageStep{tree.UsagePointer(p.Before.Counters(), entry), tree.UsagePointer(p.Usage, entry)}
	}
	return out
}
