package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// Reviews are the batches of which something waits for a decision, each a file in the state. What they would change
// is planned on the tree as it is, and kept while that stands.
type Reviews struct {
	*folder
	reader *reader
	inputs func(marks bool) plan.Inputs // what operations are planned from besides the tree

	mu      sync.Mutex
	planned map[int]plannedReview // by batch, as they were planned last
}

// recall takes from the journal what reviews say of who proposed what, since the review's own
// file may be anyone's, and marks the operations that it does not know.
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
		if r, _, err := q.read(id); err == nil { // else it was decided while we were looking
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

// read reads what waits of a batch; an error is errDecided. A file that is no review of ours
// has one item that names it and says why, and cannot be approved: the journal knows no such.
func (q *Reviews) read(id int) (*Review, []byte, error) {
	info, err := q.root.Lstat(reviewFile(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("nothing of batch %d %w", id, errDecided)
	}
	var data []byte
	if err == nil {
		data, err = q.root.ReadFile(reviewFile(id), maxState)
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
func (q *Reviews) setAside(id int) (name string, err error) {
	at := reviewFile(id)
	if _, err := q.root.Lstat(at); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	name = at + foreign
	for n := 2; ; n++ {
		if err = q.disk.RenameNew(at, name); !errors.Is(err, fs.ErrExist) {
			break
		}
		name = fmt.Sprintf("%s%s.%d", at, foreign, n)
	}
	if err != nil {
		return "", fmt.Errorf("%s, which nobody proposed, is in the way: %w", at, err)
	}
	return name, nil
}

// load reads the review of a batch that somebody is to decide, with what the journal knows
// of it.
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
	return fmt.Sprintf("the same waits already, in batch %d", e.batch)
}

// twin is a [*twinError] where a batch waits whose operations are those of r, planned on the
// same entries. The lock is held.
func (q *Reviews) twin(r *Review) error {
	batches, err := q.Waiting()
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
		if data, err := q.root.ReadFile(reviewFile(id), maxState); err != nil || !bytes.Contains(data, named) {
			continue
		}
		if w, _, err := q.load(id); err == nil && bytes.Equal(w.asked(), want) && !w.Items[0].Unknown {
			return &twinError{id}
		}
	}
	return nil
}

// close is the change of the review file when a batch, or files of it, are
// taken back by undo.
func (q *Reviews) close(id int, paths []string) ([]txn.Change, error) {
	if _, err := q.root.Stat(reviewFile(id)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	r, data, err := q.read(id)
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

// reopened puts what an approval or a rejection decided back to wait, if nothing
// was decided about that batch since.
func (q *Reviews) reopened(rec *txn.Record, of meta, paths []string) []txn.Change {
	if len(paths) > 0 || of.Action != actApprove && of.Action != actReject {
		return nil
	}
	for _, c := range rec.Inverse() {
		if c.Path != reviewFile(of.Of) {
			continue
		}
		current, err := q.root.ReadFile(c.Path, maxState)
		if c.Before == nil && errors.Is(err, fs.ErrNotExist) || c.Before != nil && err == nil && string(current) == string(c.Before.Data) {
			return []txn.Change{c}
		}
	}
	return nil
}
