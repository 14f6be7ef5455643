package txn

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/seal"
)

// Options of a journal.
type Options struct {
	Now  func() time.Time // time.Now if nil; told in headers, decides nothing
	Keep int              // records with images; 100 if 0
	Wait time.Duration    // how long one holder of the lock is waited for; 2 s if 0
	// MaxAudit bounds the audit file, in bytes; 512 MiB if 0.
	MaxAudit int64
	// Seal marks records as this user's, in this folder; if nil, as this process's.
	Seal *seal.Folder
	// MayChange tells which files a change may be about; if nil, all but the journal's own.
	MayChange func(path string) bool
	// Allowed is asked before anything is written; its error is returned. All is if nil.
	Allowed func() error
}

// The defaults of Options. A hundred changes are some weeks of curating; two
// seconds are a hundred times what a change takes.
const (
	defaultKeep = 100
	defaultWait = 2 * time.Second
)

// Journal changes the files of one folder. It is safe for concurrent use; any
// number of journals of one folder may be open, in any number of processes.
type Journal struct {
	fsys FS
	now  func() time.Time
	keep int
	wait time.Duration

	maxAudit int64

	seal      *seal.Folder
	mayChange func(path string) bool
	allowed   func() error

	// The journal's own files.
	dir, txn, journal, damaged, saved, audit, lock, next, replaceLock, replaceTemp string

	durable  atomic.Bool  // this journal has synced the names of its folders
	audited  atomic.Bool  // and of the audit file
	ours     sync.Map     // ids of records in the journal that were seen to be this user's
	readable atomic.Int64 // the newest record that was seen to be of this version

	heads struct { // of the changes that [Journal.Saved] looked at last
		sync.Mutex
		of map[int]*headerJSON // never changed
	}
}

// Open returns the journal whose own files are in the folder dir of fsys. It
// touches nothing.
func Open(fsys FS, dir string, o Options) *Journal {
	in := func(name string) string { return path.Join(dir, name) }
	j := &Journal{fsys: fsys, now: o.Now, keep: o.Keep, wait: o.Wait, maxAudit: cmp.Or(o.MaxAudit, maxAudit), seal: o.Seal,
		mayChange: o.MayChange, allowed: o.Allowed, dir: path.Clean(dir), txn: in("txn"), journal: in("journal"),
		damaged: in("damaged"), saved: in("saved"),
		audit: in("audit.jsonl"), lock: in("lock"), next: in("lock.next"), replaceLock: in("replace.lock"),
		replaceTemp: in("replace.tmp")}
	if j.now == nil {
		j.now = time.Now
	}
	if j.seal == nil {
		j.seal = new(seal.Secret).For("")
	}
	if j.keep <= 0 {
		j.keep = defaultKeep
	}
	if j.wait <= 0 {
		j.wait = defaultWait
	}
	return j
}

// Interrupted reports whether a change was stopped half-way, or is under way
// now: whether what is read of its files may be mixed. It neither waits nor
// writes.
func (j *Journal) Interrupted() bool {
	records, _, err := j.underWay()
	return err == nil && slices.ContainsFunc(records, func(id int) bool { return j.isOurs(j.txn, id) })
}

// Recover finishes or removes what a crash left behind. Kept lists files whose
// change was not made because someone had edited them since. Where nothing is
// left behind it writes nothing and takes no lock.
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

// Commit makes one change. Under the lock, after recovery, it calls plan with
// the id that the change will have. plan returns what is kept as Header.Meta, and
// the changes; those that change nothing are left out. No changes, or an error,
// and nothing happens; the header is then zero. kept lists files that someone
// edited in the moment between check and change: they have that edit, and the
// record has ours.
//
// Errors: [ConflictError], [FileError], [ErrBusy], [ErrNewer] and those of plan, of ctx and
// of the file system mean that nothing was changed, [ErrUnfinished] that the
// next call will finish the change or take it back. plan must not call Commit,
// Recover or Locked.
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

// Locked runs f under the lock, after recovery; for state of a single file, which
// needs no journal. f must not call Commit, Recover or Locked.
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

// makeFolders makes the journal's folders, with the lock held. Their names are
// synced once by each journal, for a folder that is seen may have been made by
// a process that was killed before it synced it.
func (j *Journal) makeFolders() error {
	fresh := false
	for _, dir := range []string{j.txn, j.journal} {
		made, err := j.makeAll(dir)
		if err != nil {
			return err
		}
		fresh = fresh || made
	}
	if !fresh && j.durable.Load() {
		return nil
	}
	for dir := j.dir; ; dir = path.Dir(dir) {
		if err := j.fsys.SyncDir(dir); err != nil {
			return err
		}
		if dir == "." {
			j.durable.Store(true)
			return nil
		}
	}
}

// makeAll makes a folder and those above it.
func (j *Journal) makeAll(dir string) (made bool, err error) {
	switch err := j.fsys.Mkdir(dir); {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrExist) || dir == ".":
		return false, nil
	case !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	if _, err := j.makeAll(path.Dir(dir)); err != nil {
		return false, err
	}
	if err := j.fsys.Mkdir(dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return false, err
	}
	return true, nil
}

// list returns a folder's names; none if it is missing.
func (j *Journal) list(dir string) ([]string, error) {
	entries, err := j.fsys.ReadDir(dir)
	if missing(err) {
		return nil, nil
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

// ids returns the ids of a folder's records, the smallest first.
func (j *Journal) ids(dir string) (ids []int, err error) {
	names, err := j.list(dir)
	for _, name := range names {
		if id, ok := recordID(name); ok {
			ids = append(ids, id)
		}
	}
	return ids, err
}

// underWay lists state/txn: the records, the smallest id first, and the names of
// the journal's other files there. Names of others are none of our business.
func (j *Journal) underWay() (records []int, others []string, err error) {
	names, err := j.list(j.txn)
	for _, name := range names {
		if id, ok := recordID(name); ok {
			records = append(records, id)
		} else if isStaged(name) {
			others = append(others, name)
		}
	}
	return records, others, err
}

// isStaged reports whether a name in state/txn is one of ours, but no record's.
func isStaged(name string) bool {
	digits := len(recordName(0))
	if len(name) <= digits {
		return false
	}
	_, ok := recordID(name[:digits])
	return ok && (name[digits] == '-' || name[digits:] == tempSuffix)
}

// missing reports errors that say that nothing has that name, also as a file system takes no name of that length.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG)
}

// marshalMeta writes the caller's data on one line.
func marshalMeta(meta any) (json.RawMessage, error) {
	if meta == nil {
		return nil, nil
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(meta); err != nil {
		return nil, fmt.Errorf("the data of the change cannot be stored: %w", err)
	}
	return json.RawMessage(strings.TrimSuffix(b.String(), "\n")), nil
}
