package jail

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// The methods of this file are single steps of the file system, from which
// package txn builds changes that survive a crash. None of them is durable by
// itself: [Root.Sync] makes a file's bytes so, [Root.SyncDir] a folder's names.

// Lstat describes the file at path; a link is described itself.
func (r *Root) Lstat(path string) (fs.FileInfo, error) {
	name, err := r.local(path)
	if err != nil {
		return nil, err
	}
	info, err := r.at().Lstat(name)
	return info, refusal(path, err)
}

// Linked reports whether a link stands at a path below a folder, or on the way from that to it, the folder
// included.
func (r *Root) Linked(dir, below string) bool {
	here := dir
	for _, name := range append([]string{""}, strings.Split(below, "/")...) {
		here = path.Join(here, name)
		if info, err := r.Lstat(here); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// Mkdir makes one folder; [fs.ErrExist] if the path exists.
func (r *Root) Mkdir(path string) error {
	name, err := r.local(path)
	if err != nil {
		return err
	}
	return refusal(path, r.at().Mkdir(name, dirMode))
}

// Create writes a new file; [fs.ErrExist] if the path exists, even as a dangling link. Mode 0 is the default
// under the process's umask, another is set as it is; Windows has no such modes. The zero time is now. An
// incomplete file is removed.
func (r *Root) Create(path string, data []byte, mode fs.FileMode, modTime time.Time) error {
	name, err := r.local(path)
	if err != nil {
		return err
	}
	f, err := r.create(name, data, mode)
	if err != nil {
		return refusal(path, err)
	}
	if err = f.Close(); err == nil && !modTime.IsZero() {
		err = r.at().Chtimes(name, modTime, modTime)
	}
	if err != nil {
		_ = r.at().Remove(name) // the first error is the one that explains
	}
	return refusal(path, err)
}

// create writes a new file and leaves it open. After an error the file is gone.
func (r *Root) create(name string, data []byte, mode fs.FileMode) (*os.File, error) {
	asked := mode
	if mode == 0 {
		mode = fileMode
	}
	f, err := r.at().OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode.Perm())
	if err != nil {
		return nil, err
	}
	_, err = f.Write(data)
	if err == nil && asked != 0 && keepsModes {
		err = f.Chmod(mode.Perm())
	}
	if err != nil {
		f.Close()
		_ = r.at().Remove(name) // the first error is the one that explains
		return nil, err
	}
	return f, nil
}

// Append writes at the end of a regular file, which is made if missing.
func (r *Root) Append(path string, data []byte) error {
	f, err := r.openWrite(path, os.O_APPEND|os.O_CREATE)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return refusal(path, cmp.Or(err, f.Close()))
}

// openWrite opens a regular file for writing, without waiting for a pipe.
func (r *Root) openWrite(path string, flags int) (*os.File, error) {
	name, err := r.follow(path)
	if err != nil {
		return nil, err
	}
	f, err := r.at().OpenFile(name, writeFlags|flags, fileMode)
	if err != nil {
		return nil, refusal(path, err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, refusal(path, err)
	}
	if !info.Mode().IsRegular() {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, ErrNotRegular)
	}
	return f, nil
}

// Sync makes a file's bytes, mode and time durable.
func (r *Root) Sync(path string) error {
	name, err := r.follow(path)
	if err != nil {
		return err
	}
	f, err := r.at().OpenFile(name, syncFlags, 0)
	if err != nil {
		return refusal(path, err)
	}
	err = f.Sync()
	return refusal(path, cmp.Or(err, f.Close()))
}

// SyncDir makes a folder's names durable. It does nothing where the operating
// system or the file system has no such call: Windows, some network folders.
func (r *Root) SyncDir(path string) error {
	if !syncsDirs {
		return nil
	}
	f, err := r.openDir(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !isInvalid(err) {
		return refusal(path, err)
	}
	return nil
}

// Rename moves a file, replacing a file at to. A link is moved or replaced
// itself. [ErrOtherDevice] if the two folders lie on different file systems.
func (r *Root) Rename(from, to string) error {
	return r.names(from, to, r.at().Rename)
}

// Remove removes a file, a link itself, or an empty folder; see RemoveDir.
func (r *Root) Remove(path string) error {
	name, err := r.local(path)
	if err != nil {
		return err
	}
	return refusal(path, r.at().Remove(name))
}

// names calls f with both paths in the operating system's form.
func (r *Root) names(from, to string, f func(from, to string) error) error {
	a, err := r.local(from)
	if err != nil {
		return err
	}
	b, err := r.local(to)
	if err != nil {
		return err
	}
	return refusal(from, f(a, b))
}

// RenameNew moves a file to where nothing stands; [fs.ErrExist] if something
// does. It is one step on Linux and macOS, and elsewhere on file systems with
// hard links; on others, what appears at to in the moment between the check
// and the move is replaced. [ErrOtherDevice] as for Rename.
func (r *Root) RenameNew(from, to string) error {
	err := r.between(from, to, renameNew)
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return r.names(from, to, r.linkNew)
}

// Link gives a file a second name where nothing stands; [fs.ErrExist] if something
// does. Some file systems cannot; which error they give differs.
func (r *Root) Link(from, to string) error { return r.names(from, to, r.at().Link) }

// linkNew is RenameNew without the operating system's call for it.
func (r *Root) linkNew(from, to string) error {
	err := r.at().Link(from, to)
	switch {
	case err == nil:
		return r.at().Remove(from)
	case errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrNotExist):
		return err
	}
	if _, err := r.at().Lstat(to); err == nil {
		return fs.ErrExist
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return r.at().Rename(from, to)
}

// Exchange swaps two files in one step: at no moment is either name without a
// file. [errors.ErrUnsupported] where the system has no such call: other than
// Linux and macOS, and some file systems there. [ErrOtherDevice] as for Rename.
func (r *Root) Exchange(a, b string) error { return r.between(a, b, exchange) }

// between calls f with the open folders of both paths and the names in them.
// The folders are opened as everything is, inside the root; the names are not
// followed.
func (r *Root) between(from, to string, f func(dirA *os.File, a string, dirB *os.File, b string) error) error {
	for _, p := range []string{from, to} {
		if _, err := r.local(p); err != nil {
			return err
		}
		if p == "." {
			return fmt.Errorf("%q: %w", p, fs.ErrInvalid)
		}
	}
	dirA, err := r.openDir(path.Dir(from))
	if err != nil {
		return err
	}
	defer dirA.Close()
	dirB := dirA
	if path.Dir(to) != path.Dir(from) {
		if dirB, err = r.openDir(path.Dir(to)); err != nil {
			return err
		}
		defer dirB.Close()
	}
	return refusal(from, f(dirA, filepath.Base(from), dirB, filepath.Base(to)))
}

// RemoveDir removes an empty folder, and nothing else: a link to a folder or a
// file that took its place stays.
func (r *Root) RemoveDir(path string) error {
	err := r.between(path, path, func(dir *os.File, name string, _ *os.File, _ string) error { return removeDir(dir, name) })
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	info, err := r.Lstat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s: %w", path, syscall.ENOTDIR)
	}
	return r.Remove(path)
}
