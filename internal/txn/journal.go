package txn

import (
	"cmp"
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
	Now  func() time.Time // time.Now if nil; stored in headers, but no decision depends on it
	Keep int              // number of records with images to keep; 100 if 0
	Wait time.Duration    // how long to wait for one holder of the lock; 2 s if 0
	// MaxAudit bounds the audit file, in bytes; 512 MiB if 0.
	MaxAudit int64
	// Seal marks records as this user's, in this folder. If it is nil, records belong to this process.
	Seal *seal.Folder
	// MayChange reports whether a change may affect a file. If it is nil, all files but the journal's own are
	// allowed.
	MayChange func(path string) bool
	// Allowed is called before anything is written, and its error is returned. If it is nil, everything is
	// allowed.
	Allowed func() error
}

// The defaults of Options. A hundred changes cover some weeks of curating. Two seconds are a hundred times the
// duration of a change.
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
	ours     sync.Map     // ids of the journal's records that are known to be this user's
	readable atomic.Int64 // the newest record that is known to have this version

	heads struct { // the changes that [Journal.Saved] examined last
		sync.Mutex
		of map[int]*headerJSON // never changed
	}
}

// Open returns the journal whose own files are in the folder dir of fsys. It reads and writes nothing.
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

// Interrupted reports whether a change was interrupted, or is running now, so that its files may be in a mixed
// state. It neither waits nor writes.
func (j *Journal) Interrupted() bool {
	records, _, err := j.underWay()
	return err == nil && slices.ContainsFunc(records, func(id int) bool { return j.isOurs(j.txn, id) })
}

// makeFolders makes the journal's folders; the caller holds the lock. Each journal syncs their names once, since a
// process that made a folder may have been killed before it synced the name.
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

// list returns a folder's names, none if the folder is missing.
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

// ids returns the ids of a folder's records, smallest first.
func (j *Journal) ids(dir string) (ids []int, err error) {
	names, err := j.list(dir)
	for _, name := range names {
		if id, ok := recordID(name); ok {
			ids = append(ids, id)
		}
	}
	return ids, err
}

// underWay lists state/txn: the ids of records, smallest first, and the names of the journal's other files there.
// Other names are ignored.
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

// isStaged reports whether a name in state/txn is one of ours that is not a record's.
func isStaged(name string) bool {
	digits := len(recordName(0))
	if len(name) <= digits {
		return false
	}
	_, ok := recordID(name[:digits])
	return ok && (name[digits] == '-' || name[digits:] == tempSuffix)
}

// missing reports whether an error means that no file has that name. It includes the error for names that are too
// long for the file system.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG)
}

// marshalMeta encodes the caller's data on one line.
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

// maxAudit bounds the audit file, in bytes: a million changes. A full file is set aside, and a new one begins.
const maxAudit = 512 << 20

const (
	tempSuffix = ".tmp"
	oldSuffix  = ".old"
	outSuffix  = ".out"
	// hidden begins the names of files that are staged next to their target. The tree and scans ignore names that
	// begin with a dot.
	hidden = ".brv-"
)
