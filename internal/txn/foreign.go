package txn

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// Records come from whoever wrote the repository, as all files do: one that a stranger shipped
// must neither be carried out nor, by a large id or a newer version, stop all changes.

// whose says why a file is no record that this user wrote in this folder: [ErrForeign],
// [ErrDamaged], or that it cannot be read; nil if it is one, as far as its header tells, be it
// of a newer version.
func (j *Journal) whose(at string) error {
	line, err := j.firstLine(at)
	if errors.Is(err, jail.ErrNotRegular) || errors.Is(err, jail.ErrLink) {
		return fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	if err != nil {
		return err
	}
	if _, err = j.decodeHeader(line); errors.Is(err, ErrNewer) {
		return nil
	}
	return err
}

// isOurs reports whether this user wrote a record in this folder.
func (j *Journal) isOurs(at string) bool { return j.whose(at) == nil }

// setForeignAside moves records away that are not ours and that a new one would meet: those
// under way, and those in the journal above all that are ours. The lock is held. The error is
// about those under way that cannot be read as records at all: they may have been ours.
func (j *Journal) setForeignAside() error {
	pending, _, err := j.underWay()
	if err != nil {
		return err
	}
	var unreadable error
	for _, id := range pending {
		why := j.whose(path.Join(j.txn, recordName(id)))
		switch {
		case why == nil, missing(why):
			continue
		case errors.Is(why, ErrDamaged):
			unreadable = errors.Join(unreadable, fmt.Errorf("record %d: %w", id, why))
		case !errors.Is(why, ErrForeign):
			return why
		}
		if err := j.quarantine(id); err != nil {
			return err
		}
	}
	ids, err := j.ids(j.journal)
	if err != nil {
		return err
	}
	for _, id := range slices.Backward(ids) {
		at := path.Join(j.journal, recordName(id))
		if j.readable.Load() == int64(id) {
			break
		}
		why := j.whose(at)
		if why == nil {
			break
		}
		if !errors.Is(why, ErrForeign) && !errors.Is(why, ErrDamaged) {
			return why
		}
		if err := j.moveNew(at, j.damaged, recordName(id)); err != nil {
			return err
		}
	}
	return unreadable
}

// Used reports whether this user has made a change in this folder. It writes nothing.
func (j *Journal) Used() bool {
	if j.used.Load() {
		return true
	}
	ids, err := j.ids(j.journal)
	if err == nil && slices.ContainsFunc(ids, func(id int) bool { return j.isOurs(path.Join(j.journal, recordName(id))) }) {
		j.used.Store(true)
	}
	return j.used.Load()
}

// Foreign lists the records, finished or not, that this user did not write in this folder, as
// paths; they are not believed. It writes nothing.
func (j *Journal) Foreign() (paths []string, err error) {
	for _, dir := range []string{j.txn, j.journal} {
		ids, err := j.ids(dir)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			if at := path.Join(dir, recordName(id)); errors.Is(j.whose(at), ErrForeign) {
				paths = append(paths, at)
			}
		}
	}
	return paths, nil
}
