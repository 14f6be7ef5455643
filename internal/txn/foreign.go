package txn

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// Records come from whoever wrote the repository, like all of its files. Another configuration folder of the same
// person has another key. A record that is not ours must not be carried out. Nor may it stop all changes by a
// large id or a newer version. It stays in its place, since it may belong to somebody.

// reserve is how many ids are kept free for this user, whatever the ids of other records: more changes than
// anybody makes.
const reserve = 1_000_000

// whose returns why a file is not a record that this user wrote in this folder under that id: [ErrForeign],
// [ErrDamaged], or a read error. It is nil if the header shows that it is one, even of a newer version.
func (j *Journal) whose(at string, id int) error {
	line, err := j.firstLine(at)
	if errors.Is(err, jail.ErrNotRegular) || errors.Is(err, jail.ErrLink) {
		return fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	if err != nil {
		return err
	}
	switch h, err := j.decodeHeader(line); {
	case errors.Is(err, ErrNewer):
		return nil
	case err != nil:
		return err
	case h.ID != id:
		return fmt.Errorf("%w: its number is %d", ErrDamaged, h.ID)
	}
	return nil
}

// isOurs reports whether this user wrote a record, in one of the journal's folders.
func (j *Journal) isOurs(dir string, id int) bool {
	return j.whose(path.Join(dir, recordName(id)), id) == nil
}

// strange reports whether an error of [Journal.whose] is about the record, and not about the system that reads it.
func strange(why error) bool { return errors.Is(why, ErrForeign) || errors.Is(why, ErrDamaged) }

// setAside moves away records that would stop us: unfinished ones that cannot be read, and those of others whose
// ids leave too few for us. An unreadable one may have been ours, so that is an error. The caller holds the lock.
func (j *Journal) setAside() error {
	pending, _, err := j.underWay()
	if err != nil {
		return err
	}
	var unreadable error
	for _, id := range pending {
		why := j.whose(path.Join(j.txn, recordName(id)), id)
		damaged := errors.Is(why, ErrDamaged)
		switch {
		case why == nil, missing(why), errors.Is(why, ErrForeign) && id <= maxID-reserve:
			continue
		case !strange(why):
			return why
		}
		if err := j.quarantine(id); err != nil {
			return err
		}
		if damaged {
			unreadable = errors.Join(unreadable, fmt.Errorf("record %d: %w", id, why))
		}
	}
	ids, err := j.ids(j.journal)
	if err != nil {
		return err
	}
	for _, id := range slices.Backward(ids) {
		if id <= maxID-reserve {
			break
		}
		at := path.Join(j.journal, recordName(id))
		if why := j.whose(at, id); !strange(why) {
			continue
		}
		if err := j.moveNew(at, j.damaged, recordName(id)); err != nil {
			return err
		}
	}
	return unreadable
}

// taken returns the largest id that is in use for any record, no matter who wrote it.
func (j *Journal) taken() (newest int, err error) {
	for _, dir := range []string{j.txn, j.journal, j.damaged} {
		names, err := j.list(dir)
		if err != nil {
			return 0, err
		}
		for _, name := range names {
			digits, _, _ := strings.Cut(name, "-")
			if id, ok := recordID(digits); ok && (id <= maxID-reserve || dir != j.damaged && j.isOurs(dir, id)) {
				newest = max(newest, id)
			}
		}
	}
	return newest, nil
}

// Used reports whether this user has made a change in this folder. It writes nothing.
func (j *Journal) Used() bool {
	ids, err := j.newest(1)
	return err == nil && len(ids) > 0
}

// Foreign lists the paths of records, finished or not, that this user did not write in this folder. They are
// ignored. It writes nothing.
func (j *Journal) Foreign() (paths []string, err error) {
	for _, dir := range []string{j.txn, j.journal} {
		ids, err := j.ids(dir)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			if at := path.Join(dir, recordName(id)); errors.Is(j.whose(at, id), ErrForeign) {
				paths = append(paths, at)
			}
		}
	}
	return paths, nil
}
