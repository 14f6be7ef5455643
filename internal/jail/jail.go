// Package jail opens files of one folder, and of nothing outside it.
//
// A context tree and a code repository come from whoever cloned them: a link
// may point to ~/.ssh, a path in an entry may be "../../etc/passwd", a file
// called notes.md may be a named pipe that never delivers a byte. Everything
// that brv-lsp reads or writes in a workspace therefore goes through a [Root]:
//
//   - Containment is the operating system's, by [os.Root]: each component is
//     opened relative to its parent's handle, so a link that is swapped in
//     between a check and a use gains nothing. Links that stay inside the folder
//     are followed; links that leave it, and all absolute links, are refused
//     with [ErrEscapes].
//   - Only regular files are read. They are opened without blocking and checked
//     on the open handle, so that a pipe, socket or device is refused
//     ([ErrNotRegular]) and never waited for.
//   - A read has a size limit that holds while reading ([ErrTooLarge]): a sparse
//     or growing file cannot fill the memory.
//   - A write replaces the whole file in one step: readers see the old bytes or
//     the new bytes, also after a power cut. Changes of several files are the
//     business of package txn, for which names.go and lock.go have the single steps.
//
// Paths are slash-separated and relative, as in [fs.ValidPath]; the folder
// itself is ".". Errors read "path: reason".
//
// Limits: hard links and bind mounts are not recognised, since the operating
// system shows them as the file itself, and a network file system may block in
// any call. Names that differ only in case or Unicode form are not compared
// here; that is the business of package tree.
package jail

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	slashpath "path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Reasons for which a path is refused; test with [errors.Is].
var (
	// ErrEscapes: the path, or a link on its way, points outside the folder.
	ErrEscapes = errors.New("points outside the folder")
	// ErrNotRegular: the path is a directory, pipe, socket, device or, for a
	// write, a link.
	ErrNotRegular = errors.New("not a regular file")
	// ErrTooLarge: the file has more bytes than the caller's limit.
	ErrTooLarge = errors.New("file too large")
	// ErrLink: a link stands at the path or on its way, in a folder opened without links.
	ErrLink = errors.New("symbolic links are not followed; replace the link with its target")
	// ErrOtherDevice: a file cannot move, since the other folder is on another
	// file system.
	ErrOtherDevice = errors.New("the target is on another file system")
	// ErrLocked: another process, or another call of this one, holds the lock.
	ErrLocked = errors.New("locked by another process")
)

// Root is one folder. It is safe for concurrent use, and stays with the folder
// when that is renamed or removed, until [Root.Renew].
type Root struct {
	handle atomic.Pointer[folder]
	dir    string
	plain  bool // no link is followed

	renewing sync.Mutex // held by Renew and Close
	closed   bool       // guarded by renewing
}

// folder is an open folder.
type folder struct {
	*os.Root
	file func() *os.File // the folder itself, nil where it cannot be opened
}

func opened(root *os.Root) *folder {
	return &folder{root, sync.OnceValue(func() *os.File {
		f, err := root.Open(".")
		if err != nil {
			return nil
		}
		return f
	})}
}

// Open opens the folder dir, which may itself be a link.
func Open(dir string) (*Root, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, refusal(dir, err)
	}
	return newRoot(opened(root), abs), nil
}

func newRoot(handle *folder, dir string) *Root {
	r := &Root{dir: dir}
	r.handle.Store(handle)
	return r
}

// WithoutLinks is the same folder, in which links are not followed: a call fails with [ErrLink] if there is a
// link on the way to a file, or in its place. Closing one closes both.
func (r *Root) WithoutLinks() *Root {
	p := newRoot(r.handle.Load(), r.dir)
	p.plain = true
	return p
}

// ID names the folder on this machine, whatever its path: by its inode number, or by its path
// where the system has no such number. It is "" for a folder that is gone.
func (r *Root) ID() string {
	info, err := r.at().Stat(".")
	if err != nil {
		return ""
	}
	if inode, _ := identity(info); inode != 0 {
		return strconv.FormatUint(inode, 10)
	}
	return r.dir
}

// Identity identifies the file at a name in the folder, or the folder itself ("."), so that a later file of
// the same name can be told from it. It is made of the type, the inode number and the time of creation, since
// file systems reuse inode numbers. It stays the same when the folder is moved and when the content changes.
// It does not include the device number, which many file systems assign anew at each start. It is "" if there
// is no file.
func Identity(r *Root, name string) string {
	info, err := r.Lstat(name)
	if err != nil {
		return ""
	}
	inode, _ := identity(info)
	made := int64(0)
	if dir := r.handle.Load().file(); dir != nil {
		made = born(info, dir, name)
	}
	return fmt.Sprintf("%s %d %d", info.Mode().Type(), inode, made)
}

// Sub opens a folder inside r as a Root of its own, however it is reached: a link that
// leaves r is refused.
func (r *Root) Sub(path string) (*Root, error) {
	name, err := r.follow(path)
	if err != nil {
		return nil, err
	}
	sub, err := r.at().OpenRoot(name)
	if err != nil {
		return nil, refusal(path, err)
	}
	return newRoot(opened(sub), filepath.Join(r.dir, name)), nil
}

// Holds reports whether sub is still the folder at path.
func (r *Root) Holds(path string, sub *Root) bool {
	there, err := r.Stat(path)
	return err == nil && sub.is(there)
}

// Renew opens the folder again if another one now has its path: it was removed and made anew, or replaced. It
// reports whether that is so. If there is no folder, r keeps the old one. Files that were opened before are
// not affected.
func (r *Root) Renew() bool {
	r.renewing.Lock()
	defer r.renewing.Unlock()
	there, err := os.Stat(r.dir)
	if err != nil || !there.IsDir() || r.closed || r.is(there) {
		return false
	}
	next, err := os.OpenRoot(r.dir)
	if err != nil {
		return false
	}
	r.handle.Store(opened(next)) // the old one is closed when its last user has let it go: os.Root has a finalizer
	return true
}

// is reports whether r's folder is the one described. While the handle is open, the system does not give its
// identity to another folder.
func (r *Root) is(info fs.FileInfo) bool {
	own, err := r.at().Stat(".")
	return err == nil && os.SameFile(own, info)
}

// at is the handle to use for one call.
func (r *Root) at() *os.Root { return r.handle.Load().Root }

// Dir returns the absolute path under which the folder was opened, in the
// operating system's form.
func (r *Root) Dir() string { return r.dir }

// Close releases the folder's handle; later calls fail.
func (r *Root) Close() error {
	r.renewing.Lock()
	defer r.renewing.Unlock()
	r.closed = true
	now := r.handle.Load()
	if f := now.file(); f != nil {
		f.Close()
	}
	return now.Close()
}

// Stat describes a file or directory, following links inside the folder.
func (r *Root) Stat(path string) (fs.FileInfo, error) {
	name, err := r.follow(path)
	if err != nil {
		return nil, err
	}
	info, err := r.at().Stat(name)
	return info, refusal(path, err)
}

// maxSteps is how many links one after the other are followed.
const maxSteps = 8

// LeadsTo is the path inside a folder that the link at a path leads to at last.
func LeadsTo(r *Root, path string) (string, error) {
	for at, steps := path, 0; steps < maxSteps; steps++ {
		name, err := local(at)
		if err != nil {
			return "", err
		}
		to, err := r.at().Readlink(name)
		if err != nil {
			if steps > 0 && !errors.Is(err, fs.ErrNotExist) { // no link any more
				return at, nil
			}
			return "", refusal(path, err)
		}
		if filepath.IsAbs(to) {
			return "", fmt.Errorf("%s: %w", path, ErrEscapes)
		}
		at = slashpath.Join(slashpath.Dir(at), filepath.ToSlash(to))
	}
	return "", fmt.Errorf("%s: %w", path, ErrLink)
}

// follow is local for a path that is opened.
func (r *Root) follow(path string) (string, error) { return r.name(path, path) }

// local is the function local for a path whose last name is not followed.
func (r *Root) local(path string) (string, error) { return r.name(path, slashpath.Dir(path)) }

// name is the function local; in a folder without links none may stand on the way to a path.
func (r *Root) name(path, way string) (string, error) {
	name, err := local(path)
	if err != nil || !r.plain {
		return name, err
	}
	for at := way; at != "."; at = slashpath.Dir(at) {
		if info, err := r.at().Lstat(filepath.FromSlash(at)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return "", fmt.Errorf("%s: %w", at, ErrLink)
		}
	}
	return name, nil
}

// local turns a slash path into the operating system's form, and refuses paths that cannot mean a file inside
// the folder before anything is opened.
func local(path string) (string, error) {
	if strings.ContainsRune(path, 0) || strings.HasPrefix(path, "/") || climbs(path) {
		return "", fmt.Errorf("%q: %w", path, ErrEscapes)
	}
	if !fs.ValidPath(path) { // "", "a/", "a//b", "./a"
		return "", fmt.Errorf("%q: %w", path, fs.ErrInvalid)
	}
	name, err := filepath.Localize(path) // Windows: drives, backslashes, NUL:, COM1
	if err != nil {
		return "", fmt.Errorf("%q: %w", path, ErrEscapes)
	}
	return name, nil
}

// climbs reports whether a component is "..". A path such as "a/../b" is
// refused too: through a link, it need not mean "b".
func climbs(path string) bool { return slices.Contains(strings.Split(path, "/"), "..") }

// refusal rewrites an error of the os package as "path: reason", with our own
// reasons where os keeps its error private. It is nil for no error.
func refusal(path string, err error) error {
	if err == nil {
		return nil
	}
	if in, ok := errors.AsType[*fs.PathError](err); ok {
		err = in.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		err = link.Err
	}
	switch {
	case err.Error() == "path escapes from parent": // os keeps this error's value private
		err = ErrEscapes
	case cannotOpen(err):
		err = ErrNotRegular
	case crossesDevices(err):
		err = ErrOtherDevice
	}
	return fmt.Errorf("%s: %w", path, err)
}
