package txn

import (
	"errors"
	"path"
	"slices"
	"strings"
)

// recover completes an unfinished change; the caller holds the lock. newest is the largest known id ever used.
func (j *Journal) recover() (newest int, kept []string, err error) {
	if err := j.setAside(); err != nil {
		return 0, nil, err
	}
	records, others, err := j.underWay()
	if err != nil {
		return 0, nil, err
	}
	records = slices.DeleteFunc(records, func(id int) bool { return !j.isOurs(j.txn, id) })
	past, err := j.past()
	if err != nil {
		return 0, nil, err
	}
	last := past
	for _, id := range records {
		last = max(last, id)
	}
	if newest, err = j.taken(); err != nil {
		return 0, nil, err
	}
	newest = max(newest, last)
	if len(records) > 0 {
		if _, err := j.fsys.Lstat(j.journal); missing(err) { // someone removed the folder
			j.durable.Store(false)
			if err := j.makeFolders(); err != nil {
				return 0, nil, err
			}
		}
		if err := j.fsys.SyncDir(j.txn); err != nil { // a process that was killed after the commit point may not have synced it
			return 0, nil, err
		}
	}
	for _, id := range records {
		if id < last || id <= past {
			err = j.forget(id)
		} else {
			kept, err = j.redo(id)
		}
		if err != nil {
			return 0, nil, err
		}
	}
	for _, name := range others {
		if j.isGarbage(name) {
			j.discard(name) // it belongs to no change, or to a finished one
		}
	}
	return newest, kept, nil
}

// isGarbage reports whether a name in state/txn does not belong to a change of somebody else: it has no token, or
// one of ours.
func (j *Journal) isGarbage(name string) bool {
	_, rest, _ := strings.Cut(name, "-")
	token, _, staged := strings.Cut(rest, ".")
	return !staged || j.isToken(token)
}

// past returns the largest id of our finished changes. It fails if the newest record has a newer version, since
// its files may mean more than this version knows. A damaged record counts as long as its header is complete.
func (j *Journal) past() (int, error) {
	ids, err := j.newest(1)
	if err != nil {
		return 0, err
	}
	newest := 0
	if len(ids) > 0 {
		newest = ids[0]
		if err := j.checkVersion(newest); err != nil {
			return 0, err
		}
	} else if newest, err = j.lastAudited(); err != nil {
		return 0, err
	}
	names, err := j.list(j.damaged)
	for _, name := range names {
		digits, _, _ := strings.Cut(name, "-")
		if id, ok := recordID(digits); ok && id > newest && j.whose(path.Join(j.damaged, name), id) == nil {
			newest = id
		}
	}
	return newest, err
}

func (j *Journal) checkVersion(id int) error {
	if j.readable.Load() == int64(id) {
		return nil
	}
	_, err := j.header(id)
	if errors.Is(err, ErrNewer) || err != nil && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNoRecord) {
		return err
	}
	j.readable.Store(int64(id))
	return nil
}

// forget removes a record in state/txn whose change is finished. The record has a name in the journal, perhaps not
// synced yet, or is in the audit file.
func (j *Journal) forget(id int) error {
	if err := j.fsys.SyncDir(j.journal); err != nil {
		return err
	}
	return j.remove(path.Join(j.txn, recordName(id)))
}

// redo finishes the change of a record, or takes it back if it cannot be finished. No caller has been told yet
// that the change was made.
func (j *Journal) redo(id int) (kept []string, err error) {
	name := path.Join(j.txn, recordName(id))
	data, err := j.fsys.ReadFile(name, maxRecord)
	if err != nil {
		return nil, err
	}
	r, token, err := j.decode(data, id)
	if errors.Is(err, ErrDamaged) {
		return nil, errors.Join(err, j.quarantine(id))
	}
	if err != nil {
		return nil, err
	}
	a := newAttempt(j, r, token)
	if err := a.holdAll(); err != nil {
		return nil, err
	}
	err = a.forward(a.settle)
	if err == nil {
		err = a.settleDown(a.removeDeserted)
	}
	if err != nil {
		if err := a.giveUp(err); errors.Is(err, ErrUnfinished) {
			return nil, err
		}
		return nil, nil
	}
	return a.keptPaths(), a.file()
}

// holdAll adds every name at which an interrupted attempt may have left something, and every folder whose names it
// may not have synced.
func (a *attempt) holdAll() error {
	for i := range a.rec.Changes {
		for _, aside := range []bool{false, true} {
			slot := a.slotAt(i, aside)
			if err := a.j.remove(slot + tempSuffix); err != nil && !missing(err) {
				return err
			}
			for _, suffix := range []string{outSuffix, oldSuffix, ""} {
				a.hold(i, slot+suffix)
			}
		}
	}
	for _, dir := range a.rec.made {
		a.dirty[path.Dir(dir)] = true
	}
	return nil
}

// quarantine moves an unreadable record away, with the files staged under its id, since those may be someone's
// edit.
func (j *Journal) quarantine(id int) error {
	names, err := j.list(j.txn)
	if err != nil {
		return err
	}
	slices.Reverse(names) // the record last: while it is there, this is repeated
	for _, name := range names {
		if !strings.HasPrefix(name, recordName(id)) {
			continue
		}
		if err := j.moveNew(path.Join(j.txn, name), j.damaged, name); err != nil {
			return err
		}
	}
	return nil
}
