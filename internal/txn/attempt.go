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
	aside []bool          // by file: staged next to it
	held  []holder        // names that may hold something
	out   []holder        // names that hold what the change replaced or removed
	kept  map[string]bool // paths where someone's edit was kept
	dirty map[string]bool // folders whose names changed
	back  bool            // the change is being taken back, so no record will tell what was removed
}

// holder is a name that may hold a version of file i.
type holder struct {
	file int
	name string
}

// maxTries bounds how often a step is repeated because another program interfered. The tests need two. A program
// that changes a file as fast as we do should not delay us for long.
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

// slot returns the name at which file i is staged.
func (a *attempt) slot(i int) string { return a.slotAt(i, a.aside[i]) }

func (a *attempt) slotAt(i int, aside bool) string {
	name := fmt.Sprintf("%s.%d", a.stem, i)
	if aside {
		return path.Join(path.Dir(a.rec.Changes[i].Path), hidden+name)
	}
	return path.Join(a.j.txn, name)
}

// run makes the change. The caller holds the lock, and the record is new.
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

// stageAll writes everything that needs space, before anything is changed.
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
	const private = 0o600 // the record contains texts of files that others may not be allowed to read
	if err := a.j.fsys.Create(temp, data, private, time.Time{}); err != nil {
		return err
	}
	return a.j.fsys.Sync(temp)
}

// stage writes an image to the file's slot. A slot is complete at all times, so that recovery does not take a
// partial file for someone's edit.
func (a *attempt) stage(i int, image *Image) error {
	slot := a.slot(i)
	temp := slot + tempSuffix
	a.hold(i, slot)
	err := a.j.fsys.Create(temp, image.Data, image.Mode, image.ModTime)
	if errors.Is(err, fs.ErrExist) { // from an attempt that was interrupted
		err = errors.Join(a.j.remove(temp), a.j.fsys.Create(temp, image.Data, image.Mode, image.ModTime))
	}
	if err == nil {
		err = a.j.fsys.Sync(temp)
	}
	if err == nil {
		err = a.j.fsys.Rename(temp, slot)
	}
	if err != nil {
		_ = a.j.remove(temp) // the first error explains more
	}
	return err
}

func (a *attempt) hold(i int, name string) {
	if h := (holder{i, name}); !slices.Contains(a.held, h) {
		a.held = append(a.held, h)
	}
}

// sweepStaged removes the staged files of a change that is not made. If that fails, the next recovery does it.
func (a *attempt) sweepStaged() {
	_ = a.j.remove(a.pending() + tempSuffix)
	for _, h := range a.held {
		_ = a.j.remove(h.name + tempSuffix)
		_ = a.j.remove(h.name)
	}
}

// commit renames the record. From then on, the change will happen.
func (a *attempt) commit() error {
	if err := a.j.fsys.Rename(a.pending()+tempSuffix, a.pending()); err != nil {
		return err
	}
	return a.j.fsys.SyncDir(a.j.txn)
}

// step makes one file's change from one image to another.
type step func(i int, from, to *Image) error

// forward makes the change of each file. Writes come before deletions, so that a moved file is always at one of
// its places.
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

// removeDeserted removes the folders that became empty by the change's deletions.
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

// removeEmpty removes a folder and the folders above it while they are empty. The first segment, the tree itself,
// stays.
func (a *attempt) removeEmpty(dir string) {
	for ; path.Dir(dir) != "."; dir = path.Dir(dir) {
		if err := a.j.fsys.RemoveDir(dir); err != nil && !missing(err) {
			return // it is probably not empty; an additional folder does no harm
		}
		a.dirty[path.Dir(dir)] = true
	}
}

// settleDown makes the change durable and removes the replaced files. A file that was staged next to its target
// kept its folder from being empty until then. It must not reappear after a crash, since recovery does not look
// there.
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

// syncFolders syncs every folder whose names changed, or the folder above if that one is gone.
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

// sweep checks all replaced files for a second time and removes them, since a program that had a file open may
// have written into it meanwhile. It returns the folders other than state/txn where it removed files.
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
		if err := a.syncFolders(); err != nil { // the edit must be durable before our own file disappears
			return false, err
		}
	}
	return false, nil
}

// knows reports whether a file has the content from before or after the change, so that it is in the record.
func (a *attempt) knows(i int, f found) bool {
	c := a.rec.Changes[i]
	return f.kind == regular && (f.is(c.Before) || f.is(c.After))
}

// file moves the record to the journal, which ends the change. The record keeps its name in state/txn until the
// new name is durable, so that it always has a name. Without hard links, that depends on an atomic rename.
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
		_ = a.j.remove(a.pending()) // an extra name, which the next call removes
	}
	return nil
}

// giveUp takes the change back because of an error, and returns the error.
func (a *attempt) giveUp(cause error) error {
	if err := a.backward(); err != nil {
		return fmt.Errorf("change %d: %w: %w", a.rec.ID, ErrUnfinished, errors.Join(cause, err))
	}
	return cause
}

// backward takes back the part of the change that was made, and removes the record.
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

// remove removes a file. The file may be missing.
func (j *Journal) remove(p string) error {
	if err := j.fsys.Remove(p); err != nil && !missing(err) {
		return err
	}
	return nil
}

// moveNew moves a file into one of the journal's folders, under the first free name that begins with base. It
// makes the folder.
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

// sorted returns the members of a set, sorted.
func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
