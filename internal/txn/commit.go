package txn

import (
	"context"
)

// Recover finishes or removes what a crash left. kept lists files that were not changed because someone had edited
// them meanwhile. If there is nothing to recover, it writes nothing and takes no lock.
func (j *Journal) Recover(ctx context.Context) (kept []string, err error) {
	records, others, err := j.underWay()
	if err != nil || len(records)+len(others) == 0 {
		return nil, err
	}
	err = j.exclusive(ctx, func() error {
		_, kept, err = j.recover()
		return err
	})
	return kept, err
}

// Commit makes one change. Under the lock, after recovery, it calls plan with the id that the change will have.
// plan returns the value for Header.Meta, and the changes; those without an effect are left out. Without changes,
// or after an error, nothing happens, and the header is zero. kept lists files that someone edited between the
// check and the change: they keep that edit, and the record has our content.
//
// [ConflictError], [FileError], [ErrBusy], [ErrNewer] and errors of plan, of ctx and of the file system mean that
// nothing was changed. [ErrUnfinished] means that the next call will finish the change or take it back. plan must
// not call Commit, Recover or Locked.
func (j *Journal) Commit(
	ctx context.Context, plan func(id int) (meta any, changes []Change, err error)) (h Header, kept []string, err error) {
	err = j.exclusive(ctx, func() error {
		newest, _, err := j.recover()
		if err != nil {
			return err
		}
		h, kept, err = j.commit(ctx, newest+1, plan)
		return err
	})
	return h, kept, err
}

func (j *Journal) commit(ctx context.Context, id int, plan func(id int) (any, []Change, error)) (Header, []string, error) {
	meta, changes, err := plan(id)
	if err != nil {
		return Header{}, nil, err
	}
	r, err := j.prepare(id, meta, changes)
	if err != nil || len(r.Changes) == 0 {
		return Header{}, nil, err
	}
	if err := ctx.Err(); err != nil {
		return Header{}, nil, err
	}
	if err := j.makeFolders(); err != nil {
		return Header{}, nil, err
	}
	data, token, err := j.encode(r)
	if err != nil {
		return Header{}, nil, err
	}
	a := newAttempt(j, r, token)
	if err := a.run(data); err != nil {
		return Header{}, nil, err
	}
	j.readable.Store(int64(id))
	j.prune()
	j.clearSaved()
	return r.Header, a.keptPaths(), nil
}

// Locked runs f under the lock, after recovery. It is for state in a single file, which needs no journal. f must
// not call Commit, Recover or Locked.
func (j *Journal) Locked(ctx context.Context, f func() error) error {
	return j.exclusive(ctx, func() error {
		if _, _, err := j.recover(); err != nil {
			return err
		}
		return f()
	})
}

// exclusive runs f under the lock.
func (j *Journal) exclusive(ctx context.Context, f func() error) error {
	unlock, err := j.acquire(ctx, j.lock, j.next)
	if err != nil {
		return err
	}
	defer unlock()
	return f()
}
