package txn

import (
	"errors"
	"path"
	"slices"
	"strings"
)

// recover brings an unfinished change to its end, the lock being held. newest is
// the largest id that was ever given, as far as can be told.
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
		if _, err := j.fsys.Lstat(j.journal); missing(err) { // someone removed it
			j.durable.Store(false)
			if err := j.makeFolders(); err != nil {
				return 0, nil, err
			}
		}
		if err := j.fsys.SyncDir(j.txn); err != nil { // who was killed after the commit point may not have
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
			j.discard(name) // of no change, or of one that is over
		}
	}
	return newest, kept, nil
}

// isGarbage reports whether a name in state/txn is of nobody else's change: without a token, or with
// one of ours.
func (j *Journal) isGarbage(name string) bool {
	_, rest, _ := strings.Cut(name, "-")
	token, _, staged := strings.Cut(rest, ".")
	return !staged || j.isToken(token)
}

// past is the largest id of a change of ours that is over. It fails if the newest record
// is of a newer version, for that may mean more by its files than we know. A record
// that is damaged counts as long as its header is whole.
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

// forget drops a record in state/txn whose change is over. It has its name in the
// journal, be it that nobody synced that yet, or else is in the audit file.
func (j *Journal) forget(id int) error {
	if err := j.fsys.SyncDir(j.journal); err != nil {
		return err
	}
	return j.remove(path.Join(j.txn, recordName(id)))
}

// redo finishes the change of a record, or takes it back if it cannot be
// finished: nobody was told yet that it was made.
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

// holdAll takes up every name at which an attempt that was stopped may have left
// something, and every folder whose names it may not have synced.
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

// quarantine moves a record that cannot be read out of the way, with what is
// staged under its id: that may be someone's edit.
func (j *Journal) quarantine(id int) error {
	names, err := j.list(j.txn)
	if err != nil {
		return err
	}
	slices.Reverse(names) // the record last: as long as it is there, this is done again
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
