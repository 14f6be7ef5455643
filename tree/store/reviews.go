package store

import (
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

// Reviews lists what waits for a decision, oldest first, and says of what is held where it
// could not be approved now. What it would change is planned on the tree as it is, as of the
// time when it was proposed; the stored difference, which anybody may have written, stands
// only where that fails.
func (s *Store) Reviews() ([]Review, error) {
	waiting, err := s.waiting()
	if err != nil {
		return nil, err
	}
	all := make([]*Review, len(waiting))
	for i := range waiting {
		all[i] = &waiting[i]
	}
	return waiting, s.plans(all...)
}

// plans fills in what reviews say on the tree as it is.
func (s *Store) plans(reviews ...*Review) error {
	s.planned.Lock()
	defer s.planned.Unlock()
	next, now, unsaved := map[int]plannedReview{}, s.Snapshot(), s.inputs(false).Unsaved
	var fresh []*Review
	for _, r := range reviews {
		if was, ok := s.planned.of[r.Batch]; ok && s.stands(was, r, now, unsaved) {
			r.Time, r.Author, r.Origin, r.Items = was.told.Time, was.told.Author, was.told.Origin, slices.Clone(was.told.Items)
			was.on = now
			next[r.Batch] = was
		} else {
			fresh = append(fresh, r)
		}
	}
	if err := s.recall(fresh...); err != nil {
		return err
	}
	for _, r := range fresh {
		p, again := s.planItems(r, r.Items, "", plan.Decision{}, true)
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
		s.planned.of = next
	}
	return nil
}

// stands reports whether a review would be planned as it was now: its file says the same, and so does
// the tree, or the entries on which all of it rests; and none of them is open with other text.
func (s *Store) stands(was plannedReview, r *Review, now *tree.Snapshot, unsaved map[string]string) bool {
	for _, at := range was.writes {
		_, open := unsaved[at]
		if now != was.on && (!was.plain || hashAt(now, at) != hashAt(was.on, at) || now.Counters()[at] != was.on.Counters()[at]) ||
			open {
			return false
		}
	}
	return r.sum == was.told.sum
}

func hashAt(s *tree.Snapshot, at string) string {
	e, ok := s.Entry(at)
	if !ok {
		return ""
	}
	return e.Hash
}

// isPlain reports whether all operations change one entry that they name, and look at no other.
func (r *Review) isPlain() bool {
	return !slices.ContainsFunc(r.Items, func(i plan.ReviewItem) bool {
		t := i.Op.Type.Normal()
		return t != plan.OpUpdate && t != plan.OpConfirm || len(i.Op.Content.Relations) > 0 || i.Op.Synthesis != nil || !strings.HasSuffix(i.Op.Path, ".md")
	})
}

// heldDiff is what the operations of a batch that wait would change, "" if none do.
func (s *Store) heldDiff(batch int) (diff string) {
	r, _, err := s.readReview(batch)
	if err != nil || s.plans(r) != nil {
		return ""
	}
	for _, item := range r.Items {
		diff += item.Diff
	}
	return diff
}
