package txn

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// attempt is one try to make a change, or to take one back half-way.
//
// Each file i has some names of its own while it is changed: the staged new
// content, which after a swap is the old file; the same with oldSuffix, where a
// file goes that is renamed out of the way; and with outSuffix, where ours goes
// when an edit is put back. They lie in state/txn, or hidden beside the file if
// that is on another device.
type attempt struct {
	j     *Journal
	rec   *Record
	stem  string          // of the names of staged files
	limit int             // bytes of the largest image
	aside []bool          // by file: staged beside it
	held  []holder        // names that may hold something
	out   []holder        // names that hold what the change took out of its place
	kept  map[string]bool // paths that have someone's edit
	dirty map[string]bool // folders whose names changed
	back  bool            // it is taken back: no record will tell what came out
}

// holder is a name at which something of file i may stand.
type holder struct {
	file int
	name string
}

const (
	tempSuffix = ".tmp"
	oldSuffix  = ".old"
	outSuffix  = ".out"
	// hidden begins the names of files that are staged beside their target: the
	// tree and scans ignore names with a dot.
	hidden = ".brv-"
)

// maxTries bounds how often a step is repeated because someone else's step came
// between its parts. The tests need two; a program that changes a file as fast as
// we do should not hold us up for long.
const maxTries = 4

func newAttempt(j *Journal, r *Record, token string) *attempt {
	a := &attempt{j: j, rec: r, stem: recordName(r.ID) + "-" + token, aside: make([]bool, len(r.Changes)),
		kept: map[string]bool{}, dirty: map[string]bool{}}
	for _, c := range r.Changes {
		a.limit = max(a.limit, size(c.Before), size(c.After))
	}
	return a
}

func (a *attempt) pending() string { return path.Join(a.j.txn, recordName(a.rec.ID)) }

// slot is the name at which file i is staged.
func (a *attempt) slot(i int) string { return a.slotAt(i, a.aside[i]) }

func (a *attempt) slotAt(i int, aside bool) string {
	name := fmt.Sprintf("%s.%d", a.stem, i)
	if aside {
		return path.Join(path.Dir(a.rec.Changes[i].Path), hidden+name)
	}
	return path.Join(a.j.txn, name)
}

// run makes the change, the lock being held and the record new.
func (a *attempt) run(data []byte) error {
	if err := a.stageAll(data); err != nil {
		a.sweepStaged()
		return err
	}
	err := a.commit()
	if err == nil {
		err = a.forward(a.applyChange)
	}
	if err == nil {
		err = a.settleDown(a.removeDeserted)
	}
	if err != nil {
		return a.giveUp(err)
	}
	return a.file()
}

// stageAll writes all that needs space, before anything happens.
func (a *attempt) stageAll(data []byte) error {
	for i, c := range a.rec.Changes {
		if c.After == nil {
			continue
		}
		if err := a.stage(i, c.After); err != nil {
			return fileError(c.Path, err)
		}
	}
	temp := a.pending() + tempSuffix
	const private = 0o600 // it has the texts of files that not all may read
	if err := a.j.fsys.Create(temp, data, private, time.Time{}); err != nil {
		return err
	}
	return a.j.fsys.Sync(temp)
}

// stage writes an image to the file's slot. A slot is whole at all times, so that
// recovery takes nothing torn for someone's edit.
func (a *attempt) stage(i int, image *Image) error {
	slot := a.slot(i)
	temp := slot + tempSuffix
	a.hold(i, slot)
	err := a.j.fsys.Create(temp, image.Data, image.Mode, image.ModTime)
	if errors.Is(err, fs.ErrExist) { // of an attempt that was stopped
		err = errors.Join(a.j.remove(temp), a.j.fsys.Create(temp, image.Data, image.Mode, image.ModTime))
	}
	if err == nil {
		err = a.j.fsys.Sync(temp)
	}
	if err == nil {
		err = a.j.fsys.Rename(temp, slot)
	}
	if err != nil {
		_ = a.j.remove(temp) // the first error is the one that explains
	}
	return err
}

func (a *attempt) hold(i int, name string) {
	if h := (holder{i, name}); !slices.Contains(a.held, h) {
		a.held = append(a.held, h)
	}
}

// sweepStaged removes what was staged for a change that does not happen. What it
// cannot remove, the next recovery does.
func (a *attempt) sweepStaged() {
	_ = a.j.remove(a.pending() + tempSuffix)
	for _, h := range a.held {
		_ = a.j.remove(h.name + tempSuffix)
		_ = a.j.remove(h.name)
	}
}

// commit is the moment from which on the change will happen.
func (a *attempt) commit() error {
	if err := a.j.fsys.Rename(a.pending()+tempSuffix, a.pending()); err != nil {
		return err
	}
	return a.j.fsys.SyncDir(a.j.txn)
}

// step makes one file's change from one image to another.
type step func(i int, from, to *Image) error

// forward makes the change of each file. What is written comes before what is
// deleted, so that a moved file is at one of its places at any moment.
func (a *attempt) forward(do step) error {
	for _, deletes := range []bool{false, true} {
		for i, c := range a.rec.Changes {
			if (c.After == nil) != deletes {
				continue
			}
			if err := do(i, c.Before, c.After); err != nil {
				return fileError(c.Path, err)
			}
		}
	}
	return nil
}

// removeDeserted removes the folders that the change's deletions have emptied.
func (a *attempt) removeDeserted() {
	for _, c := range a.rec.Changes {
		if c.After == nil && !a.kept[c.Path] {
			a.removeEmpty(path.Dir(c.Path))
		}
	}
}

// removeMade removes the folders that the change has made.
func (a *attempt) removeMade() {
	for _, dir := range slices.Backward(a.rec.made) {
		if err := a.j.fsys.RemoveDir(dir); err == nil {
			a.dirty[path.Dir(dir)] = true
		}
	}
}

// removeEmpty removes a folder and those above it while they are empty, but for
// the first: that is the tree itself.
func (a *attempt) removeEmpty(dir string) {
	for ; path.Dir(dir) != "."; dir = path.Dir(dir) {
		if err := a.j.fsys.RemoveDir(dir); err != nil && !missing(err) {
			return // not empty, most likely; a folder too many harms nobody
		}
		a.dirty[path.Dir(dir)] = true
	}
}

// settleDown makes what happened durable and takes away what came out. What was
// staged beside its file kept its folder from being empty until then, and must not
// come back: nobody would look for it there.
func (a *attempt) settleDown(removeFolders func()) error {
	removeFolders()
	if err := a.syncFolders(); err != nil {
		return err
	}
	beside, err := a.sweep()
	if err != nil || len(beside) == 0 {
		return err
	}
	maps.Copy(a.dirty, beside)
	removeFolders()
	return a.syncFolders()
}

// syncFolders syncs every folder whose names changed, or the one above if it is
// gone.
func (a *attempt) syncFolders() error {
	done := map[string]bool{}
	for _, dir := range sorted(a.dirty) {
		for {
			if done[dir] {
				break
			}
			done[dir] = true
			err := a.j.fsys.SyncDir(dir)
			if err == nil {
				break
			}
			if !missing(err) || dir == "." {
				return err
			}
			dir = path.Dir(dir)
		}
	}
	return nil
}

// sweep looks at everything that came out for a second time, for a program that
// had a file open may have written into it since, and takes it away. It returns the
// folders other than state/txn where it did.
func (a *attempt) sweep() (beside map[string]bool, err error) {
	beside = map[string]bool{}
	for _, h := range a.held {
		removed, err := a.sweepOne(h)
		if err != nil {
			return nil, err
		}
		if dir := path.Dir(h.name); removed && dir != a.j.txn {
			beside[dir] = true
		}
	}
	return beside, nil
}

func (a *attempt) sweepOne(h holder) (removed bool, err error) {
	for range maxTries {
		f, err := a.j.look(h.name, a.limit)
		switch {
		case err != nil:
			return false, err
		case f.kind == absent || f.kind == unreachable:
			return false, nil
		case a.retires(h, f):
			a.out = append(a.out, h)
			return false, nil
		case a.knows(h.file, f):
			return true, a.j.remove(h.name)
		}
		if err := a.putBack(h.file, h.name); err != nil {
			return false, err
		}
		if err := a.syncFolders(); err != nil { // the edit is durable where it was before ours vanishes
			return false, err
		}
	}
	return false, nil
}

// knows reports whether something found is the file before or after the change,
// and so is in the record.
func (a *attempt) knows(i int, f found) bool {
	c := a.rec.Changes[i]
	return f.kind == regular && (f.is(c.Before) || f.is(c.After))
}

// file moves the record to the journal: the change is over. The record keeps its
// name in state/txn until the other is durable, so that it is never without one;
// where there are no hard links, that depends on a rename being atomic.
func (a *attempt) file() error {
	filed := path.Join(a.j.journal, recordName(a.rec.ID))
	linked := a.j.fsys.Link(a.pending(), filed) == nil
	if !linked {
		if err := a.j.fsys.Rename(a.pending(), filed); err != nil {
			return a.giveUp(err)
		}
	}
	if err := a.j.fsys.SyncDir(a.j.journal); err != nil {
		return fmt.Errorf("change %d was made but may be lost in a power failure: %w", a.rec.ID, errors.Join(ErrUnfinished, err))
	}
	a.retire()
	if linked {
		_ = a.j.remove(a.pending()) // a name too many, which the next call removes
	}
	return nil
}

// giveUp takes the change back because of an error, and returns that.
func (a *attempt) giveUp(cause error) error {
	if err := a.backward(); err != nil {
		return fmt.Errorf("change %d: %w: %w", a.rec.ID, ErrUnfinished, errors.Join(cause, err))
	}
	return cause
}

// backward takes back as much of the change as was made, and forgets the record.
func (a *attempt) backward() error {
	a.back = true
	for i, c := range slices.Backward(a.rec.Changes) {
		if err := a.settle(i, c.After, c.Before); err != nil {
			return err
		}
	}
	if err := a.settleDown(a.removeMade); err != nil {
		return err
	}
	if err := a.j.remove(a.pending()); err != nil {
		return err
	}
	if err := a.j.remove(a.pending() + tempSuffix); err != nil {
		return err
	}
	return a.j.fsys.SyncDir(a.j.txn)
}

func (a *attempt) keptPaths() []string { return sorted(a.kept) }

// remove removes a file that may be missing.
func (j *Journal) remove(p string) error {
	if err := j.fsys.Remove(p); err != nil && !missing(err) {
		return err
	}
	return nil
}

// moveNew moves a file into one of the journal's folders, which is made, under
// the first free name that begins with base.
func (j *Journal) moveNew(from, dir, base string) error {
	if _, err := j.makeAll(dir); err != nil {
		return err
	}
	name := base
	for n := 1; ; n++ {
		err := j.fsys.RenameNew(from, path.Join(dir, name))
		if errors.Is(err, jail.ErrOtherDevice) {
			err = j.copyNew(from, path.Join(dir, name))
		}
		if errors.Is(err, fs.ErrExist) {
			name = fmt.Sprintf("%s-%d", base, n)
			continue
		}
		if err != nil && !missing(err) {
			return err
		}
		if err := j.fsys.SyncDir(dir); err != nil {
			return err
		}
		return j.fsys.SyncDir(j.dir)
	}
}

// copyNew moves a file to another device.
func (j *Journal) copyNew(from, to string) error {
	data, err := j.fsys.ReadFile(from, maxRecord)
	if err != nil {
		return err
	}
	if err := j.fsys.Create(to, data, 0, time.Time{}); err != nil {
		return err
	}
	if err := j.fsys.Sync(to); err != nil {
		return err
	}
	return j.fsys.Remove(from)
}

// sorted returns the members of a set.
func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
