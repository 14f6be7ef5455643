package store

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// plannedReview is what a review said when it was planned last. Planning costs 10 ms of processor time for three
// updates in a tree of 1,000 entries, and a hundredth of that where it stands (BenchmarkReviews); and
// lists are asked for again and again.
type plannedReview struct {
	told   Review
	on     *tree.Snapshot
	writes []string // tree paths
	plain  bool     // it rests on its own entries alone
}

// stands reports whether a review would be planned as it was now: its file says the same, and so does
// the tree, or the entries on which all of it rests; and none of them is open with other text.
func (was plannedReview) stands(r *Review, now *tree.Snapshot, unsaved map[string]string) bool {
	for _, at := range was.writes {
		_, open := unsaved[at]
		if now != was.on && (!was.plain || hashAt(now, at) != hashAt(was.on, at) || now.Counters()[at] != was.on.Counters()[at]) ||
			open {
			return false
		}
	}
	return r.sum == was.told.sum
}

// List lists what waits for a decision, oldest first, and says of what is held where it
// could not be approved now. What it would change is planned on the tree as it is, as of the
// time when it was proposed; the stored difference, which anybody may have written, stands
// only where that fails.
func (q *Reviews) List() ([]Review, error) {
	waiting, err := q.all()
	if err != nil {
		return nil, err
	}
	all := make([]*Review, len(waiting))
	for i := range waiting {
		all[i] = &waiting[i]
	}
	return waiting, q.plans(all...)
}

// plans fills in what reviews say on the tree as it is.
func (q *Reviews) plans(reviews ...*Review) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	next, now, unsaved := map[int]plannedReview{}, q.reader.Snapshot(), q.inputs(false).Unsaved
	var fresh []*Review
	for _, r := range reviews {
		if was, ok := q.planned[r.Batch]; ok && was.stands(r, now, unsaved) {
			r.Time, r.Author, r.Origin, r.Items = was.told.Time, was.told.Author, was.told.Origin, slices.Clone(was.told.Items)
			was.on = now
			next[r.Batch] = was
		} else {
			fresh = append(fresh, r)
		}
	}
	if err := q.recall(fresh...); err != nil {
		return err
	}
	for _, r := range fresh {
		p, again := q.planItems(r, r.Items, "", plan.Decision{}, true)
		shown := map[int]string{}
		for _, h := range p.Held {
			shown[h.Index] = h.Diff
		}
		for k, res := range plan.Kept(p.Results) { // one for each item
			item := &r.Items[k]
			diff, planned := shown[k]
			switch {
			case res.Status == plan.StatusFailed:
				item.Blocked = strings.TrimSuffix(res.Message, plan.RejectIt) + plan.RejectIt
			case planned:
				item.Losses = res.Losses
				item.Diff = plan.WithComments(diff, item.Diff)
				if message := plan.Waits + res.Message; !strings.HasPrefix(item.Message, message) {
					item.Message = message
				}
			}
		}
		if len(again) == 0 && !p.TakesAway() {
			told := *r
			told.Items = slices.Clone(r.Items)
			next[r.Batch] = plannedReview{told, p.Before, slices.Sorted(maps.Keys(p.Touched)), r.isPlain()}
		}
	}
	if len(reviews) > 1 {
		q.planned = next
	}
	return nil
}

func hashAt(s *tree.Snapshot, at string) string {
	e, ok := s.Entry(at)
	if !ok {
		return ""
	}
	return e.Hash
}

// diff is what the operations of a batch that wait would change, "" if none do.
func (q *Reviews) diff(batch int) (diff string) {
	r, _, err := q.read(batch)
	if err != nil || q.plans(r) != nil {
		return ""
	}
	for _, item := range r.Items {
		diff += item.Diff
	}
	return diff
}

// planHeld plans the held items; those that cannot be done go on waiting.
func (q *Reviews) planHeld(r *Review, items []plan.ReviewItem, by string, d plan.Decision) (p *plan.Plan, again []plan.ReviewItem) {
	return q.planItems(r, items, by, d, false)
}

// planItems is planHeld; with show it keeps the difference of each item, as of the time when
// it was proposed, so that who reads it twice reads the same.
func (q *Reviews) planItems(r *Review, items []plan.ReviewItem, by string, d plan.Decision, show bool) (p *plan.Plan, again []plan.ReviewItem) {
	in := q.inputs(plan.TakesAway(plan.Operations(items)))
	if show {
		in.Now = plan.Stamp(r.Time)
	}
	return plan.Review(q.reader.Snapshot(), items, r.Author, r.Origin, by, d, in, show)
}

// Proposed returns what the entry at a path of a review says, and what it would say if what
// was held for it were approved on the tree as it is now; "" where there is no such file. Of
// what was done already it is the text from before, and the present one. editable is whether
// another text can be approved instead. An error says why what is held cannot be done.
func (q *Reviews) Proposed(id int, at string) (before, after string, editable bool, err error) {
	r, _, err := q.load(id)
	if err != nil {
		return "", "", false, err
	}
	chosen, _, err := r.divide([]string{at})
	if err != nil {
		return "", "", false, err
	}
	now := q.reader.Snapshot()
	if !slices.ContainsFunc(chosen, func(i plan.ReviewItem) bool { return i.Held || i.Unknown }) {
		rec, err := q.journal.Load(id)
		if err != nil {
			return "", "", false, err
		}
		before = tree.TextAt(now, at)
		for _, c := range rec.Inverse() {
			if c.Path == tree.Dir+"/"+at {
				before = textOf(c.After)
			}
		}
		return before, tree.TextAt(now, at), false, nil
	}
	p, again := q.planHeld(r, chosen, "", plan.Decision{})
	if len(again) > 0 { // it may rest on what else waits in the batch
		if whole, failed := q.planHeld(r, r.Items, "", plan.Decision{}); !slices.ContainsFunc(failed, func(i plan.ReviewItem) bool { return i.Path == at }) {
			p, again = whole, nil
		}
	}
	if len(again) > 0 {
		for _, res := range p.Results {
			if res.Status == plan.StatusFailed {
				return "", "", false, errors.New(res.Message)
			}
		}
	}
	before = tree.TextAt(now, at)
	for from, to := range p.Moved {
		if to == at && chosen[0].Op.Type.Normal() == plan.OpMove {
			before = tree.TextAt(now, from)
		}
	}
	return before, tree.TextAt(p.After, at), slices.ContainsFunc(chosen, plan.ReviewItem.Editable), nil
}
