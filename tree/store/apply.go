package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// reviewDir holds what waits for a decision.
const reviewDir = tree.StateDir + "/review"

// maxReplans bounds how often a batch is planned again because someone changed
// the same files meanwhile.
const maxReplans = 20

// action says what a record of the journal was.
type action string

const (
	actApply   action = "apply"
	actApprove action = "approve"
	actReject  action = "reject"
	actUndo    action = "undo"
)

// meta is what the journal keeps of a change beside its images.
type meta struct {
	Action   action               `json:"action"`
	Author   string               `json:"author,omitempty"`
	Origin   format.Origin        `json:"origin,omitzero"`   // of the text of the operations
	Of       int                  `json:"of,omitempty"`      // the batch that was approved, rejected or undone
	Edited   []string             `json:"edited,omitempty"`  // approved with another text
	EditedBy format.Origin        `json:"editedBy,omitzero"` // who wrote that, where it is not who approves
	Reason   string               `json:"reason,omitempty"`
	Ops      []plan.Op            `json:"operations,omitempty"`
	Results  []plan.Result        `json:"results,omitempty"`
	Usage    map[string]usageStep `json:"usage,omitempty"` // counters that were folded or moved
}

// usageStep is the change of one entry's counters; nil is none.
type usageStep struct {
	Before *tree.Usage `json:"before,omitempty"`
	After  *tree.Usage `json:"after,omitempty"`
}

// Apply does a batch: all its files change in one transaction, which survives
// crashes and never overwrites an edit that someone made meanwhile. The report
// tells of every operation; an error means that nothing was done for a reason
// that is no operation's: the disk, the lock, a journal that cannot be read.
func (s *Store) Apply(ctx context.Context, b plan.Batch) (*plan.Report, error) {
	if err := b.Check(); err != nil {
		return nil, err
	}
	b = b.Screen()
	for range maxReplans {
		p := plan.New(s.Snapshot(), b, s.inputs(plan.TakesAway(b.Ops)))
		if !b.Origin.Human() && p.Deletes > plan.MaxProposedDeletes {
			return nil, plan.TooManyDeletes(p.Deletes)
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
			told.Held = s.heldDiff(twin.batch)
			return told, nil
		}
		again, err := s.catchUp(ctx, err)
		if saving := (*savingError)(nil); errors.As(err, &saving) {
			return refused(b, "not done: "+saving.Error()), nil
		}
		if !again {
			return report, err
		}
	}
	return refused(b, "not done: other writers keep changing the same files; try again"), nil
}

// catchUp brings the snapshot up to date where a commit failed because it was
// not; again tells that it may succeed now.
func (s *Store) catchUp(ctx context.Context, failed error) (again bool, err error) {
	var conflict *txn.ConflictError
	var saving *savingError
	switch {
	case errors.As(failed, &saving):
		if err = s.outwait(ctx, saving.paths); err == nil {
			_, err = s.Refresh(ctx, saving.paths...)
		}
	case errors.As(failed, &conflict):
		if paths := inTreePaths(conflict.Paths); len(paths) > 0 {
			if err = s.outwait(ctx, paths); err == nil {
				_, err = s.Refresh(ctx, paths...)
			}
		} else {
			err = s.refreshUsage()
		}
	case errors.Is(failed, errCounted):
		err = s.refreshUsage()
	default:
		return false, failed
	}
	return err == nil, err
}

// errCounted: an entry was used between planning and commit, so that the signals
// to be written are not the newest.
var errCounted = errors.New("counted meanwhile")

// refused is the report of a batch that is not done.
func refused(b plan.Batch, why string) *plan.Report {
	p := &plan.Plan{}
	p.Refuse(b, plan.FailConflict, why)
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
				if err := s.twin(r); err != nil {
					return nil, nil, err
				}
			}
			if aside, err = s.setAside(id); err != nil {
				return nil, nil, err
			}
			changes = append(changes, txn.Change{Path: reviewFile(id), After: &txn.Image{Data: r.encode()}})
		}
		return meta{Action: actApply, Author: b.Author, Origin: b.Origin, Ops: b.Ops, Results: plan.Kept(p.Results), Usage: usage}, changes, nil
	})
	if err != nil {
		return nil, err
	}
	r := report(p, header, stayed)
	for _, h := range p.Held {
		r.Held += h.Diff
	}
	if aside != "" {
		r.Results[0].Message += "; a review that nobody proposed stood in its place, and is now .brv/" + aside
	}
	return r, s.show(ctx, header)
}

// writes are the changes of a plan, those of counters included; errCounted where
// the counters are not what it was made from, [*savingError] where an entry is being saved that is to be
// held. The lock is held.
func (s *Store) writes(p *plan.Plan) (map[string]usageStep, []txn.Change, error) {
	for _, h := range p.Held { // of which the journal changes none, and so compares none
		if err := s.ready(p.Before, slices.Collect(maps.Keys(h.Base))); err != nil {
			return nil, nil, err
		}
	}
	steps := usageSteps(p)
	usage, changes, err := s.usageChanges(steps)
	if err == nil && !maps.EqualFunc(steps, usage, usageStep.equal) {
		err = errCounted
	}
	return usage, append(fileChanges(p), changes...), err
}

// report tells of a plan that was committed. An operation of whose files someone
// edited one in that very moment has failed: the edit stays, and the record has
// what would have been written.
func report(p *plan.Plan, h txn.Header, stayed []string) *plan.Report {
	r := p.Report()
	r.Batch, r.Files, r.Kept, r.Comments = h.ID, changedFiles(h), inTreePaths(stayed), p.Comments()
	for _, at := range r.Kept {
		for i := range r.Results {
			res := &r.Results[i]
			if res.Status == plan.StatusSuccess && (res.FilePath == at || slices.Contains(res.AlsoChanged, at)) {
				res.Status, res.Code, res.NeedsReview = plan.StatusFailed, plan.FailConflict, false
				res.Message = "not done in " + at + ", which someone edited in this moment; look at it, and try again"
				r.Summary.Failed++
			}
		}
	}
	return r
}

// show publishes what was committed. It is not cancelled: what is done is done.
func (s *Store) show(ctx context.Context, h txn.Header) error {
	files := changedFiles(h)
	if len(files) == 0 {
		return s.refreshUsage()
	}
	s.mu.Lock()
	s.counted = stamp{} // our own changes may come within one tick of the file system's clock
	s.mu.Unlock()
	_, err := s.Refresh(context.WithoutCancel(ctx), files...)
	return err
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

// changedFiles are the tree paths of a committed change.
func changedFiles(h txn.Header) []string {
	var out []string
	for _, f := range h.Files {
		out = append(out, f.Path)
	}
	return inTreePaths(out)
}

// inTreePaths turns paths inside `.brv` into tree paths and drops the others.
func inTreePaths(paths []string) []string {
	var out []string
	for _, p := range paths {
		if at, ok := cutDir(p); ok {
			out = append(out, at)
		}
	}
	return out
}

// Undo takes a batch back, or the named files of it: every byte is as before. Of a
// batch of which some files were taken back already it takes the others. It fails
// with [*UndoConflict], and changes nothing, where a file was changed since. The undo is itself a batch, which can be undone. Where nothing of the batch is there to
// take back, as it was held and then decided, the error names the change that did so.
func (s *Store) Undo(ctx context.Context, id int, author, reason string, paths ...string) (*plan.Report, error) {
	m := meta{Action: actUndo, Author: plan.ClearText(author), Of: id, Reason: plan.ClearText(reason)}
	var took plan.Undone
	take := func(files []string) (*plan.Report, error) {
		return s.revert(ctx, id, m, files, &took, func() ([]txn.Change, error) { return s.closeReview(id, paths) })
	}
	report, err := take(paths)
	var conflict *UndoConflict
	if len(paths) == 0 && errors.As(err, &conflict) { // with what was taken back before, perhaps
		left, part, lost := s.left(id)
		if lost != nil {
			return nil, lost
		}
		if part {
			report, err = take(left)
		}
	}
	if errors.Is(err, ErrNothing) {
		return nil, s.decided(id)
	}
	if report != nil {
		report.Undone = &took
	}
	return report, err
}

// left are the files of a batch that were not taken back yet; part says that others were.
func (s *Store) left(id int) (files []string, part bool, err error) {
	log, err := s.Log(0)
	if err != nil {
		return nil, false, err
	}
	files = Remaining(log)[id]
	of := slices.IndexFunc(log, func(l Logged) bool { return l.ID == id })
	return files, of >= 0 && len(files) > 0 && len(files) < len(log[of].Files), nil
}

// ErrNothing: a batch has no effect that could be taken back, or what it did is not there any more.
var ErrNothing = errors.New("nothing to take back")

// decided says what became of a batch that has nothing to take back.
func (s *Store) decided(id int) error {
	log, err := s.Log(0)
	if err != nil {
		return err
	}
	stands := Remaining(log)
	var as, undo []string // the approvals that stand
	why := ErrNothing.Error()
	for _, l := range log { // newest first
		_, ok := stands[l.ID]
		switch {
		case l.Of != id:
		case l.Action == string(actApprove) && ok:
			as, undo = append(as, strconv.Itoa(l.ID)), append(undo, fmt.Sprintf("`undo %d`", l.ID))
		case why != ErrNothing.Error():
		case l.Action == string(actReject):
			why = fmt.Sprintf("it was rejected as %d; `undo %d` lets it wait again", l.ID, l.ID)
		case l.Action == string(actUndo):
			why = fmt.Sprintf("it was taken back as %d", l.ID)
		}
	}
	if len(as) == 0 && why == ErrNothing.Error() {
		return fmt.Errorf("change %d: %w", id, ErrNothing)
	}
	if len(as) == 0 {
		return fmt.Errorf("change %d: %s", id, why)
	}
	takes := "takes"
	if len(as) > 1 {
		takes = "take"
	}
	return fmt.Errorf("change %d was approved as %s; %s %s it back", id, strings.Join(as, " and "), strings.Join(undo, " and "), takes)
}

// UndoConflict is returned where a file is not what the batch left behind.
type UndoConflict struct {
	Batch int
	Files []ConflictFile
}

// ConflictFile are the three versions of a file in conflict; "" where there is
// no file.
type ConflictFile struct {
	Path    string `json:"path"`    // in the tree
	Base    string `json:"base"`    // as the batch left it
	Current string `json:"current"` // as it is
	Wanted  string `json:"wanted"`  // as it was before the batch
}

// Error names the files.
func (e *UndoConflict) Error() string {
	if len(e.Files) == 0 {
		return fmt.Sprintf("batch %d: what waits of it was decided by someone else just now", e.Batch)
	}
	list := make([]string, len(e.Files))
	for i, f := range e.Files {
		list[i] = f.Path
		if len(format.Conflicts(f.Current)) > 0 {
			list[i] += " (in merge conflict: choose a side in it first)"
		}
	}
	return fmt.Sprintf("batch %d is not taken back: changed since: %s", e.Batch, joinAtMost(list, 5))
}

// revert writes the inverse of a record, or of what of it concerns the paths, and says in took
// what that was, unless that is nil; also adds to the same transaction.
func (s *Store) revert(ctx context.Context, id int, m meta, paths []string, took *plan.Undone, also func() ([]txn.Change, error)) (*plan.Report, error) {
	before := s.Snapshot()
	var inverse []txn.Change
	header, kept, err := s.journal.Commit(ctx, func(int) (any, []txn.Change, error) {
		rec, err := s.journal.Load(id)
		if errors.Is(err, txn.ErrNoRecord) {
			return nil, nil, s.noRecord(id, err)
		}
		if err != nil {
			return nil, nil, err
		}
		var of meta
		if err := json.Unmarshal(rec.Meta, &of); err != nil {
			return nil, nil, fmt.Errorf("batch %d: %w", id, err)
		}
		if inverse, err = treeChanges(rec, of, paths); err != nil {
			return nil, nil, err
		}
		next := map[string]string{}
		for _, c := range inverse {
			at, _ := cutDir(c.Path)
			next[at] = textOf(c.After)
		}
		if err := s.inputs(false).CheckSaved(next); err != nil {
			return nil, nil, err
		}
		usage, changes, err := s.usageChanges(inverseUsage(of.Usage, inverse, len(paths) == 0))
		if err != nil {
			return nil, nil, err
		}
		m.Usage = usage
		more, err := also()
		if err != nil {
			return nil, nil, err
		}
		again := s.reopened(rec, of, paths)
		if took != nil {
			*took = plan.Undone{ID: id, Action: string(of.Action), Of: of.Of, About: of.about(), WaitsAgain: len(again) > 0}
		}
		all := slices.Concat(inverse, changes, more, again)
		if len(all) == 0 {
			return nil, nil, ErrNothing
		}
		return m, all, nil
	})
	var conflict *txn.ConflictError
	if errors.As(err, &conflict) {
		return nil, s.undoConflict(id, inverse, conflict.Paths)
	}
	if err != nil {
		return nil, err
	}
	report := &plan.Report{Batch: header.ID, Results: []plan.Result{}, Files: changedFiles(header), Kept: inTreePaths(kept)}
	err = s.show(ctx, header)
	report.Dangling = plan.Redacted(plan.NowDangling(before, s.Snapshot(), report.Files))
	if gone := plan.Moved(before, s.Snapshot(), report.Files); len(gone) > 0 {
		report.Comments = s.inputs(true).Stranded(before, s.Snapshot(), gone)
	}
	return report, err
}

// noRecord says why a change has no record: it is too old, or never was.
func (s *Store) noRecord(id int, err error) error {
	made, lost := s.journal.Headers(id)
	if _, was := made[id]; lost == nil && was {
		return fmt.Errorf("change %d is too old to undo: the texts of the last %d changes are kept", id, keptChanges)
	}
	return fmt.Errorf("%w; `brv-lsp log` lists the changes", err)
}

// reopened puts what an approval or a rejection decided back to wait, if nothing
// was decided about that batch since.
func (s *Store) reopened(rec *txn.Record, of meta, paths []string) []txn.Change {
	if len(paths) > 0 || of.Action != actApprove && of.Action != actReject {
		return nil
	}
	for _, c := range rec.Inverse() {
		if c.Path != reviewFile(of.Of) {
			continue
		}
		current, err := s.root.ReadFile(c.Path, maxState)
		if c.Before == nil && errors.Is(err, fs.ErrNotExist) || c.Before != nil && err == nil && string(current) == string(c.Before.Data) {
			return []txn.Change{c}
		}
	}
	return nil
}

// treeChanges is the inverse of what a record did to entries; state has its own
// inverse. Part of a batch can be taken back only where no other operation of it
// changed the same files.
func treeChanges(rec *txn.Record, of meta, paths []string) ([]txn.Change, error) {
	known := map[string]bool{}
	var out []txn.Change
	for _, c := range rec.Inverse() {
		at, ok := cutDir(c.Path)
		known[at] = ok
		if ok && (len(paths) == 0 || slices.Contains(paths, at)) {
			out = append(out, c)
		}
	}
	for _, p := range paths {
		if !known[p] {
			return nil, fmt.Errorf("batch %d did not change %s", rec.ID, p)
		}
	}
	if together := of.together(paths, known); len(paths) > 0 && len(together) > len(paths) {
		return nil, fmt.Errorf("batch %d changed %s together; take them back together: %s", rec.ID, joinAtMost(paths, 3), strings.Join(together, ","))
	}
	return out, nil
}

// together are the paths with all files that the operations which changed them
// changed too, and so on, sorted.
func (m meta) together(paths []string, changed map[string]bool) []string {
	set := map[string]bool{}
	for _, p := range paths {
		set[p] = true
	}
	for grown := true; grown; {
		grown = false
		for _, r := range m.Results {
			files := append([]string{r.FilePath}, r.AlsoChanged...)
			if r.Status != plan.StatusSuccess || !slices.ContainsFunc(files, func(f string) bool { return set[f] }) {
				continue
			}
			for _, f := range files {
				if changed[f] && !set[f] {
					set[f], grown = true, true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// inverseUsage turns a record's counter changes round: all of them, or those of the files
// that are taken back.
func inverseUsage(steps map[string]usageStep, files []txn.Change, all bool) map[string]usageStep {
	out := map[string]usageStep{}
	if all {
		for at, st := range steps {
			out[at] = usageStep{st.After, st.Before}
		}
		return out
	}
	for _, c := range files {
		at, _ := cutDir(c.Path)
		if st, ok := steps[at]; ok {
			out[at] = usageStep{st.After, st.Before}
		}
	}
	return out
}

func (s *Store) undoConflict(id int, inverse []txn.Change, paths []string) error {
	e := &UndoConflict{Batch: id}
	for _, c := range inverse {
		if at, _ := cutDir(c.Path); slices.Contains(paths, c.Path) {
			current, _ := s.root.ReadFile(c.Path, format.MaxFileSize) // unreadable shows as none; it is not touched
			e.Files = append(e.Files, ConflictFile{at, textOf(c.Before), string(current), textOf(c.After)})
		}
	}
	return e
}

func textOf(i *txn.Image) string {
	if i == nil {
		return ""
	}
	return string(i.Data)
}

// usageChanges are the file changes that bring counters from one state to
// another, read and written under the lock. What was counted meanwhile is kept.
func (s *Store) usageChanges(steps map[string]usageStep) (map[string]usageStep, []txn.Change, error) {
	shards := map[string][]string{}
	for entry := range steps {
		shards[tree.UsageFile(entry)] = append(shards[tree.UsageFile(entry)], entry)
	}
	done := map[string]usageStep{}
	var changes []txn.Change
	for _, shard := range slices.Sorted(maps.Keys(shards)) {
		at := tree.StateDir + "/" + shard
		data, counters, err := s.readUsage(at)
		if err != nil {
			return nil, nil, err
		}
		for _, entry := range shards[shard] {
			before := tree.UsagePointer(counters, entry)
			after := steps[entry].onto(before, s.now())
			done[entry] = usageStep{before, after}
			if after == nil {
				delete(counters, entry)
			} else {
				counters[entry] = *after
			}
		}
		c := txn.Change{Path: at, After: &txn.Image{Data: s.sealedUsage(at, counters)}}
		if data != nil {
			c.Before = &txn.Image{Data: data}
		}
		if len(counters) == 0 {
			c.After = nil
		}
		if c.Before != nil || c.After != nil {
			changes = append(changes, c)
		}
	}
	return done, changes, nil
}

// joinAtMost lists the first n items and says how many more there are.
func joinAtMost(items []string, n int) string {
	if len(items) <= n {
		return strings.Join(items, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(items[:n], ", "), len(items)-n)
}

// cutDir turns a path inside `.brv` into a tree path; ok is false outside the tree.
func cutDir(p string) (string, bool) { return strings.CutPrefix(p, tree.Dir+"/") }
