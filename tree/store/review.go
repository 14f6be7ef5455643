package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

func reviewFile(id int) string { return fmt.Sprintf("%s/%06d.json", reviewDir, id) }

// review is what of the plan waits for a decision, nil if nothing does.
func review(p *plan.Plan, id int, b plan.Batch) *Review {
	r := &Review{Batch: id, Time: p.Inputs.Now, Author: b.Author, Origin: b.Origin}
	held := map[int]plan.Held{}
	for _, h := range p.Held {
		held[h.Index] = h
	}
	for i, res := range p.Results {
		if !res.NeedsReview {
			continue
		}
		item := plan.ReviewItem{Op: b.Ops[i], Path: res.FilePath, Message: secrets.Redact(res.Message, nil), Files: changedBy(p, res)}
		if h, ok := held[i]; ok {
			item.Held, item.Diff, item.Base = true, h.Diff, h.Base
		}
		r.Items = append(r.Items, item)
	}
	if len(r.Items) == 0 {
		return nil
	}
	return r
}

// changedBy are the files of a result that the batch really changes.
func changedBy(p *plan.Plan, r plan.Result) []string {
	all := p.Changed()
	return slices.DeleteFunc(append([]string{r.FilePath}, r.AlsoChanged...), func(f string) bool { return !slices.Contains(all, f) })
}

func (r *Review) encode() []byte {
	bare := *r
	bare.Items = slices.Clone(r.Items)
	for i := range bare.Items {
		bare.Items[i].Losses = nil
	}
	data, err := json.MarshalIndent(&bare, "", "  ")
	if err != nil {
		panic("a review is plain data: " + err.Error()) // cannot happen: strings, numbers and times
	}
	return append(data, '\n')
}

// twinError: the operations of a batch wait already, in another.
type twinError struct{ batch int }

func (e *twinError) Error() string {
	return fmt.Sprintf("the same waits already, in batch %d", e.batch)
}

// twin is a [*twinError] where a batch waits whose operations are those of r, planned on the
// same entries. The lock is held.
func (s *Store) twin(r *Review) error {
	batches, err := s.Waiting()
	if err != nil {
		return nil // what cannot be read hinders no proposal
	}
	want := r.asked()
	named, err := json.Marshal(r.Items[0].Path)
	if err != nil {
		panic("a path is plain data: " + err.Error()) // cannot happen: a string
	}
	for _, id := range batches {
		// Reading a file is cheaper than taking it apart, and few name the same entry.
		if data, err := s.root.ReadFile(reviewFile(id), maxState); err != nil || !bytes.Contains(data, named) {
			continue
		}
		if w, _, err := s.review(id); err == nil && bytes.Equal(w.asked(), want) && !w.Items[0].Unknown {
			return &twinError{id}
		}
	}
	return nil
}

// asked is what a review asks for: its operations with what they were planned on, and nothing
// that differs where the same is asked again.
func (r *Review) asked() []byte {
	bare := Review{Items: slices.Clone(r.Items)}
	for i := range bare.Items {
		bare.Items[i].Message, bare.Items[i].Diff = "", ""
	}
	return bare.encode()
}

// waited is the report of a plan of which everything waits already.
func waited(p *plan.Plan, batch int) *plan.Report {
	for i := range p.Results {
		r := &p.Results[i]
		r.Message = strings.Replace(r.Message, plan.Waits, fmt.Sprintf("Waits for review already, in batch %d. When approved: ", batch), 1)
	}
	told := p.Report()
	told.Batch, told.Waited = batch, true
	return told
}

// foreign reports whether nobody here proposed anything of a review, as far as the journal knows.
func (r *Review) foreign() bool {
	return !slices.ContainsFunc(r.Items, func(i plan.ReviewItem) bool { return !i.Unknown })
}

// recall takes from the journal what reviews say of who proposed what, since the review's own
// file may be anyone's, and marks the operations that it does not know.
func (s *Store) recall(reviews ...*Review) error {
	ids := make([]int, len(reviews))
	for i, r := range reviews {
		ids[i] = r.Batch
	}
	headers, err := s.journal.Headers(ids...)
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
		proposed := map[string]plan.Result{} // by operation and path
		for i, op := range m.Ops {
			if i < len(m.Results) {
				proposed[op.Key(m.Results[i].FilePath)] = m.Results[i]
			}
		}
		for i := range r.Items {
			item := &r.Items[i]
			res, known := proposed[item.Op.Key(item.Path)]
			item.Unknown = !known
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

// Waiting lists the batches of which something waits for a decision, oldest first; it reads
// no review.
func (s *Store) Waiting() (batches []int, err error) {
	list, err := s.root.ReadDir(reviewDir)
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

// waiting reads the reviews, oldest first.
func (s *Store) waiting() ([]Review, error) {
	batches, err := s.Waiting()
	if err != nil {
		return nil, err
	}
	var out []Review
	for _, id := range batches {
		if r, _, err := s.readReview(id); err == nil { // else it was decided while we were looking
			out = append(out, *r)
		}
	}
	return out, nil
}

// foreign ends the name of a review file that nobody proposed and that stood in the way.
const foreign = ".foreign"

// maxState bounds the size of a state file, in bytes.
const maxState = 64 << 20

// errDecided: there is no review file of a batch.
var errDecided = errors.New("waits for a review")

// readReview reads what waits of a batch; an error is errDecided. A file that is no review of ours
// has one item that names it and says why, and cannot be approved: the journal knows no such.
func (s *Store) readReview(id int) (*Review, []byte, error) {
	info, err := s.root.Lstat(reviewFile(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("nothing of batch %d %w", id, errDecided)
	}
	var data []byte
	if err == nil {
		data, err = s.root.ReadFile(reviewFile(id), maxState)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("nothing of batch %d %w", id, errDecided)
	}
	r := Review{unreadable: err != nil}
	if err == nil {
		if err = json.Unmarshal(data, &r); err == nil && len(r.Items) == 0 {
			err = errors.New("there is no operation in it")
		}
	}
	if err != nil {
		r = Review{unreadable: r.unreadable, Items: []plan.ReviewItem{{Held: true, Path: reviewFile(id), Message: fmt.Sprintf("%s is no review: %v", reviewFile(id), err)}}}
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

// setAside gives a review file another name, under which it waits for nobody: what is there under
// the number of a batch that is about to be made is not ours. It is "" where there is none. The
// lock is held.
func (s *Store) setAside(id int) (name string, err error) {
	at := reviewFile(id)
	if _, err := s.root.Lstat(at); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	name = at + foreign
	for n := 2; ; n++ {
		if err = s.disk.RenameNew(at, name); !errors.Is(err, fs.ErrExist) {
			break
		}
		name = fmt.Sprintf("%s%s.%d", at, foreign, n)
	}
	if err != nil {
		return "", fmt.Errorf("%s, which nobody proposed, is in the way: %w", at, err)
	}
	return name, nil
}

// review reads the review of a batch that somebody is to decide, with what the journal knows
// of it.
func (s *Store) review(id int) (*Review, []byte, error) {
	r, data, err := s.readReview(id)
	if err != nil {
		return nil, nil, err
	}
	return r, data, s.recall(r)
}

// divide splits the items into those that the paths name (all if none) and the rest.
func (r *Review) divide(paths []string) (chosen, rest []plan.ReviewItem, err error) {
	found := map[string]bool{}
	for _, item := range r.Items {
		if len(paths) == 0 || slices.Contains(paths, item.Path) {
			chosen, found[item.Path] = append(chosen, item), true
		} else {
			rest = append(rest, item)
		}
	}
	for _, p := range paths {
		if !found[p] {
			return nil, nil, fmt.Errorf("nothing about %s waits in batch %d", p, r.Batch)
		}
	}
	return chosen, rest, nil
}

// remaining is the change of the review file after some items were decided.
func (r *Review) remaining(data []byte, rest []plan.ReviewItem) txn.Change {
	c := txn.Change{Path: reviewFile(r.Batch), Before: &txn.Image{Data: data}}
	if len(rest) > 0 {
		left := *r
		left.Items = rest
		c.After = &txn.Image{Data: left.encode()}
	}
	return c
}

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
	r, data, err := s.review(id)
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
	p, again := s.planHeld(r, chosen, author, d)
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

// planHeld plans the held items; those that cannot be done go on waiting.
func (s *Store) planHeld(r *Review, items []plan.ReviewItem, by string, d plan.Decision) (p *plan.Plan, again []plan.ReviewItem) {
	return s.planItems(r, items, by, d, false)
}

// planItems is planHeld; with show it keeps the difference of each item, as of the time when
// it was proposed, so that who reads it twice reads the same.
func (s *Store) planItems(r *Review, items []plan.ReviewItem, by string, d plan.Decision, show bool) (p *plan.Plan, again []plan.ReviewItem) {
	in := s.inputs(plan.TakesAway(plan.Operations(items)))
	if show {
		in.Now = plan.Stamp(r.Time)
	}
	return plan.Review(s.Snapshot(), items, r.Author, r.Origin, by, d, in, show)
}

// Proposed returns what the entry at a path of a review says, and what it would say if what
// was held for it were approved on the tree as it is now; "" where there is no such file. Of
// what was done already it is the text from before, and the present one. editable is whether
// another text can be approved instead. An error says why what is held cannot be done.
func (s *Store) Proposed(id int, at string) (before, after string, editable bool, err error) {
	r, _, err := s.review(id)
	if err != nil {
		return "", "", false, err
	}
	chosen, _, err := r.divide([]string{at})
	if err != nil {
		return "", "", false, err
	}
	now := s.Snapshot()
	if !slices.ContainsFunc(chosen, func(i plan.ReviewItem) bool { return i.Held || i.Unknown }) {
		rec, err := s.journal.Load(id)
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
	p, again := s.planHeld(r, chosen, "", plan.Decision{})
	if len(again) > 0 { // it may rest on what else waits in the batch
		if whole, failed := s.planHeld(r, r.Items, "", plan.Decision{}); !slices.ContainsFunc(failed, func(i plan.ReviewItem) bool { return i.Path == at }) {
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

// closeReview is the change of the review file when a batch, or files of it, are
// taken back by undo.
func (s *Store) closeReview(id int, paths []string) ([]txn.Change, error) {
	if _, err := s.root.Stat(reviewFile(id)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	r, data, err := s.readReview(id)
	if err != nil {
		return nil, err
	}
	if r.unreadable {
		return nil, nil // it says nothing of the batch
	}
	var rest []plan.ReviewItem
	for _, item := range r.Items {
		if len(paths) > 0 && !slices.Contains(paths, item.Path) {
			rest = append(rest, item)
		}
	}
	return []txn.Change{r.remaining(data, rest)}, nil
}
