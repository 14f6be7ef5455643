package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// Reviews are the batches with waiting operations, each a file in the state. Their effects are planned on the
// present tree, and the plans are kept while they are valid.
type Reviews struct {
	*folder
	reader *reader
	inputs func(marks bool) plan.Inputs // the inputs of plans besides the tree

	mu      sync.Mutex
	planned map[int]plannedReview // by batch, the last plan of each
}

// plannedReview is the last plan of a review. Planning costs 10 ms of processor time for three updates in a
// tree of 1,000 entries, and a hundredth of that if the plan is still valid (BenchmarkReviews); lists are
// requested again and again.
type plannedReview struct {
	shown  Review
	on     *tree.Snapshot
	writes []string // paths in the tree
	plain  bool     // it depends on its own entries alone
}

// stands reports whether planning a review again would give the same: its file is unchanged, and so is the
// tree, or at least all entries that the plan depends on; and none of them is open with other text.
func (was plannedReview) stands(r *Review, now *tree.Snapshot, unsaved map[string]string) bool {
	for _, at := range was.writes {
		_, open := unsaved[at]
		if now != was.on && (!was.plain || hashAt(now, at) != hashAt(was.on, at) || now.Counters()[at] != was.on.Counters()[at]) ||
			open {
			return false
		}
	}
	return r.sum == was.shown.sum
}

// recall sets the author and origin of reviews from the journal, since the review's own file may be forged,
// and marks the operations that the journal does not know.
func (q *Reviews) recall(reviews ...*Review) error {
	ids := make([]int, len(reviews))
	for i, r := range reviews {
		ids[i] = r.Batch
	}
	headers, err := q.journal.Headers(ids...)
	if err != nil {
		return err
	}
	for _, r := range reviews {
		h := headers[r.Batch]
		var m meta
		if json.Unmarshal(h.Meta, &m) != nil || m.Action != actApply {
			m = meta{}
		} else {
			r.Time = h.Time
		}
		proposed, numbers := map[string]plan.Result{}, map[string]int{} // by operation and path
		for i, op := range m.Ops {
			if i < len(m.Results) {
				key := op.Key(m.Results[i].FilePath)
				proposed[key], numbers[key] = m.Results[i], i+1
			}
		}
		for i := range r.Items {
			item := &r.Items[i]
			key := item.Op.Key(item.Path)
			res, known := proposed[key]
			item.Unknown, item.Number = !known, numbers[key]
			if known {
				item.Message, item.Losses = res.Message, res.Losses // with what was redacted
			}
		}
		if r.Author, r.Origin = m.Author, m.Origin; r.foreign() {
			r.Author, r.Origin = "", format.Origin{}
		}
	}
	return nil
}

// Waiting lists the batches with waiting operations, oldest first, without reading the reviews.
func (q *Reviews) Waiting() (batches []int, err error) {
	list, err := q.root.ReadDir(reviewDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, d := range list {
		id, err := strconv.Atoi(strings.TrimSuffix(d.Name(), ".json"))
		if err == nil && reviewFile(id) == reviewDir+"/"+d.Name() { // others are not ours
			batches = append(batches, id)
		}
	}
	slices.Sort(batches)
	return batches, err
}

// all reads the reviews, oldest first.
func (q *Reviews) all() ([]Review, error) {
	batches, err := q.Waiting()
	if err != nil {
		return nil, err
	}
	var out []Review
	for _, id := range batches {
		if r, _, err := q.read(id); err == nil { // otherwise it was decided meanwhile
			out = append(out, *r)
		}
	}
	return out, nil
}

// read reads the waiting part of a batch; an error means that there is none. A file that is not a valid
// review gets one item that names it and gives the reason; the item cannot be approved, since the journal
// does not know it.
func (q *Reviews) read(id int) (*Review, []byte, error) {
	var data []byte
	info, err := q.root.Lstat(reviewFile(id))
	if err == nil {
		data, err = q.root.ReadFile(reviewFile(id), q.maxState)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("batch %d has no waiting changes; `brv-lsp review` lists those that wait", id)
	}
	r := Review{unreadable: err != nil}
	if err == nil {
		if err = json.Unmarshal(data, &r); err == nil && len(r.Items) == 0 {
			err = errors.New("it contains no operation")
		}
	}
	if err != nil {
		r = Review{unreadable: r.unreadable, Items: []plan.ReviewItem{{Held: true, Path: reviewFile(id),
			Message: fmt.Sprintf("%s cannot be read as a review: %v", reviewFile(id), err)}}}
		if info != nil {
			r.Time = info.ModTime()
		}
	}
	r.Batch, r.sum = id, sha256.Sum256(data)
	for i := range r.Items {
		r.Items[i].Blocked, r.Items[i].Losses = "", nil
	}
	return &r, data, nil
}

// load reads the review of a batch for a decision, completed from the journal.
func (q *Reviews) load(id int) (*Review, []byte, error) {
	r, data, err := q.read(id)
	if err != nil {
		return nil, nil, err
	}
	return r, data, q.recall(r)
}

// twinError: the operations of a batch wait already, in another.
type twinError struct{ batch int }

func (e *twinError) Error() string {
	return fmt.Sprintf("the same change already waits in batch %d", e.batch)
}

// twin returns a [*twinError] if a batch waits that has the operations of r, planned on the same entries. The
// lock is held.
func (q *Reviews) twin(r *Review) error {
	batches, err := q.Waiting()
	if err != nil {
		return nil // an unreadable review does not block a proposal
	}
	want := r.requestKey()
	named, err := json.Marshal(r.Items[0].Path)
	if err != nil {
		panic("a path is plain data: " + err.Error()) // cannot happen: a string
	}
	for _, id := range batches {
		// Reading a file is cheaper than taking it apart, and few name the same entry.
		if data, err := q.root.ReadFile(reviewFile(id), q.maxState); err != nil || !bytes.Contains(data, named) {
			continue
		}
		if w, _, err := q.load(id); err == nil && bytes.Equal(w.requestKey(), want) && !w.Items[0].Unknown {
			return &twinError{id}
		}
	}
	return nil
}

// close is the change of the review file when an undo reverts a batch, or files of it.
func (q *Reviews) close(id int, paths []string) []txn.Change {
	r, data, err := q.read(id)
	if err != nil || r.unreadable {
		return nil // nothing waits, or its file does not mention the batch
	}
	var rest []plan.ReviewItem
	for _, item := range r.Items {
		if len(paths) > 0 && !slices.Contains(paths, item.Path) {
			rest = append(rest, item)
		}
	}
	return []txn.Change{r.remaining(data, rest)}
}

// reopened makes the items that an approval or a rejection decided wait again, beside those of its batch that
// wait now.
func (q *Reviews) reopened(rec *txn.Record, of meta, paths []string) []txn.Change {
	if len(paths) > 0 || of.Action != actApprove && of.Action != actReject {
		return nil
	}
	inverse := rec.Inverse(reviewFile(of.Of))
	if len(inverse) == 0 || inverse[0].After == nil {
		return nil
	}
	undo := inverse[0]
	now, data, err := q.read(of.Of)
	switch {
	case err != nil: // nothing of it waits
		if undo.Before == nil {
			return []txn.Change{undo}
		}
		now = &Review{}
	case now.unreadable:
		return nil
	case undo.Before != nil && bytes.Equal(data, undo.Before.Data):
		return []txn.Change{undo}
	}
	var before, after Review
	if json.Unmarshal(undo.After.Data, &before) != nil || undo.Before != nil && json.Unmarshal(undo.Before.Data, &after) != nil {
		return nil
	}
	names := func(items []plan.ReviewItem, p string) bool {
		return slices.ContainsFunc(items, func(i plan.ReviewItem) bool { return i.Path == p })
	}
	waits := slices.DeleteFunc(before.Items, func(i plan.ReviewItem) bool {
		return names(after.Items, i.Path) && !names(now.Items, i.Path) // a later decision concerned it
	})
	for _, i := range now.Items {
		if !names(waits, i.Path) {
			waits = append(waits, i)
		}
	}
	before.Items = waits
	c := txn.Change{Path: undo.Path, After: &txn.Image{Data: before.encode()}}
	if err == nil {
		c.Before = &txn.Image{Data: data}
	}
	return []txn.Change{c}
}

// List lists the waiting reviews, oldest first, and marks held operations that could not be approved now.
// Differences are planned on the present tree, at the time of the proposal; the stored difference, which
// could be forged, is used only if planning fails.
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

// plans fills in the present effects of reviews.
func (q *Reviews) plans(reviews ...*Review) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	next, now, unsaved := map[int]plannedReview{}, q.reader.Snapshot(), q.inputs(false).Unsaved
	var fresh []*Review
	for _, r := range reviews {
		if was, ok := q.planned[r.Batch]; ok && was.stands(r, now, unsaved) {
			r.Time, r.Author, r.Origin, r.Items = was.shown.Time, was.shown.Author, was.shown.Origin, slices.Clone(was.shown.Items)
			was.on = now
			next[r.Batch] = was
		} else {
			fresh = append(fresh, r)
		}
	}
	if err := q.recall(fresh...); err != nil {
		return err
	}
	var in plan.Inputs
	if len(fresh) > 0 { // collected once, as marked files are read for it
		in = q.inputs(slices.ContainsFunc(fresh, func(r *Review) bool { return plan.TakesAway(plan.Operations(r.Items)) }))
	}
	for _, r := range fresh {
		p, again := q.planHeld(in, r, r.Items, "", plan.Decision{}, true)
		shown := map[int]string{}
		for _, h := range p.Held {
			shown[h.Index] = h.Diff
		}
		for k, res := range plan.Kept(p.Results) { // one for each item
			item := &r.Items[k]
			diff, planned := shown[k]
			switch {
			case res.Status == plan.StatusFailed:
				item.Blocked = res.Message
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

// diff returns the difference that a batch's pending operations would make, "" if none wait.
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

// planHeld plans the held items; those that fail keep waiting. With show it keeps the difference of each
// item, at the time of the proposal, so that a second reading gives the same.
func (q *Reviews) planHeld(
	in plan.Inputs, r *Review, items []plan.ReviewItem, by string, d plan.Decision, show bool,
) (p *plan.Plan, again []plan.ReviewItem) {
	if show {
		in.Now = plan.Stamp(r.Time)
	}
	return plan.Review(q.reader.Snapshot(), items, r.Author, r.Origin, by, d, in, show)
}

// Proposed returns the present text of the entry at a path of a review, and the text that it would have if
// its held operations were approved now; "" if there is no such file. For an operation that was done already,
// these are the texts before and after it. editable tells whether another text can be approved instead. An
// error is the reason why a held operation cannot be done.
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
	in := q.inputs(plan.TakesAway(plan.Operations(r.Items)))
	p, again := q.planHeld(in, r, chosen, "", plan.Decision{}, false)
	if len(again) > 0 { // it may depend on other waiting operations of the batch
		whole, failed := q.planHeld(in, r, r.Items, "", plan.Decision{}, false)
		if !slices.ContainsFunc(failed, func(i plan.ReviewItem) bool { return i.Path == at }) {
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
