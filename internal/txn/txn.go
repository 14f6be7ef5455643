package txn

import (
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/words"
)

var _ FS = (*jail.Root)(nil)

// FS is the folder, as [jail.Root] provides it. Paths are slash-separated and relative; none leads out of the
// folder. Every method is one step of the file system, so that tests can make each one fail, stop or happen in
// another order.
type FS interface {
	ReadFile(path string, limit int64) ([]byte, error) // jail.ErrTooLarge over limit bytes
	ReadHead(path string, n int64) ([]byte, error)     // a file's first n bytes, or all
	ReadDir(path string) ([]fs.DirEntry, error)
	Lstat(path string) (fs.FileInfo, error)
	Mkdir(path string) error // fs.ErrExist if something is there
	// exclusive; not synced; mode 0: default & umask; zero time: now
	Create(path string, data []byte, mode fs.FileMode, modTime time.Time) error
	Append(path string, data []byte) error // made if missing; not synced
	Sync(path string) error                // a file's data
	SyncDir(path string) error             // a folder's names; nil where the system cannot
	Rename(from, to string) error          // replaces; jail.ErrOtherDevice
	RenameNew(from, to string) error       // fs.ErrExist if something is at to; jail.ErrOtherDevice
	// a second name; fs.ErrExist as for RenameNew; another error where the system cannot
	Link(from, to string) error
	// swaps two files; errors.ErrUnsupported where the system cannot; jail.ErrOtherDevice
	Exchange(a, b string) error
	Remove(path string) error    // a file, never the content of a folder
	RemoveDir(path string) error // only an empty folder
	// exclusive kernel lock on a file, made if missing; jail.ErrLocked at once if held
	Lock(path string) (unlock func(), err error)
}

// Image is a file's content at one moment.
type Image struct {
	Data    []byte
	Mode    fs.FileMode // permission bits; 0 for those of the replaced file, or the default
	ModTime time.Time   // zero: when it is written
}

// Change replaces one file. A nil image means no file.
type Change struct {
	Path          string
	Before, After *Image // Before must be on disk, compared by content; its mode and time are read from there
}

// Header is a committed change without its images.
type Header struct {
	ID    int
	Time  time.Time
	Meta  json.RawMessage // the caller's data about the change
	Files []File
}

// File is one changed file of a header.
type File struct {
	Path          string
	Before, After string // hex SHA-256 of the content, "" for no file
}

// Record is a committed change with its images.
type Record struct {
	Header
	Changes []Change

	made []string // folders that the change makes, parents first
}

// Inverse returns the changes that take the record back, for the given paths or for all. They restore content,
// mode and time.
func (r *Record) Inverse(paths ...string) []Change {
	var back []Change
	for _, c := range r.Changes {
		if len(paths) == 0 || slices.Contains(paths, c.Path) {
			back = append(back, Change{Path: c.Path, Before: c.After, After: c.Before})
		}
	}
	return back
}

// ConflictError is returned if files on disk differ from what a change expects, or were emptied a moment ago
// ([Journal.IsEmptied]). Nothing was changed.
type ConflictError struct{ Paths []string }

// Error names the files.
func (e *ConflictError) Error() string {
	const shown = 3 // more would be a report, not a message
	return words.AtMost(e.Paths, shown) + ": changed meanwhile"
}

// FileError is returned if the system refuses access to one of a change's files: to read it, to stage its new
// content, or to put that in its place. Unless [ErrUnfinished] is joined to it, nothing was changed, and another
// change may succeed.
type FileError struct {
	Path string // of the change
	Err  error  // may name a file of the journal
}

// Error names the file and the system's reason, but no file of the journal.
func (e *FileError) Error() string { return e.Path + ": " + e.Reason() }

// Reason returns the system's reason, without the path if that can be removed.
func (e *FileError) Reason() string {
	if errno, ok := errors.AsType[syscall.Errno](e.Err); ok {
		return errno.Error()
	}
	return strings.TrimPrefix(e.Err.Error(), e.Path+": ")
}

// Unwrap returns the file system's error.
func (e *FileError) Unwrap() error { return e.Err }

func fileError(path string, err error) error { return &FileError{path, err} }

var (
	// ErrBusy: another process holds the lock and makes no progress.
	ErrBusy = errors.New("busy")
	// ErrNewer: a newer version wrote the journal; reading is still possible.
	ErrNewer = errors.New("the journal was written by a newer version of brv-lsp")
	// ErrNoRecord: there is no such record, or it is older than the kept ones.
	ErrNoRecord = errors.New("no such change")
	// ErrDamaged: a record or a line of the audit file has been altered.
	ErrDamaged = errors.New("damaged")
	// ErrForeign: this user did not write a record, or a line of the audit file, in this folder. It is never
	// carried out, and is ignored.
	ErrForeign = errors.New("ignored, because another user wrote it, or it is from another folder")
	// ErrUnfinished: an error interrupted a change, and another error prevented taking it back. The next call does
	// one or the other.
	ErrUnfinished = errors.New("the change was interrupted")
)
