package jail

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	slashpath "path"
	"path/filepath"
	"strings"
)

// Modes of what WriteFile creates; the process's umask applies.
const (
	fileMode fs.FileMode = 0o644
	dirMode  fs.FileMode = 0o755
)

// maxTries bounds how often a write starts again because another process took its staged file for an
// abandoned one.
const maxTries = 10

// WriteFile replaces the file's content in one step, creating the folders above
// it. An existing file keeps its permissions. A directory, link, pipe or device
// in its place is refused: replacing a link would silently cut it. What a writer
// leaves that is killed meanwhile lies in a folder that git ignores and nobody
// else can enter; [Sweep] removes it.
func (r *Root) WriteFile(path string, data []byte) error {
	name, err := r.local(path)
	if err != nil {
		return err
	}
	mode, err := r.writable(path, name)
	if err != nil {
		return err
	}
	if err := r.at().MkdirAll(filepath.Dir(name), dirMode); err != nil {
		return refusal(path, err)
	}
	for range maxTries {
		err = replaceFile(r, name, data, mode)
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrLocked) {
			break
		}
	}
	if err != nil {
		return refusal(path, err)
	}
	_ = r.SyncDir(slashpath.Dir(path)) // the file is in place all the same
	return nil
}

// The files of a staging folder. The first has git ignore the folder, and is locked as long as the writer lives.
const (
	ignoreFile = ".gitignore"
	stagedFile = "new"
)

// stagingMode is the mode of a staging folder: what is staged may be for the user alone. Git makes no folders of this mode,
// so that none comes with a repository.
const stagingMode fs.FileMode = 0o700

// replaceFile stages a file in a folder beside it, and moves it into its place.
func replaceFile(r *Root, name string, data []byte, mode fs.FileMode) error {
	at := r.at()
	staging := filepath.Join(filepath.Dir(name), TempName())
	if err := at.Mkdir(staging, stagingMode); err != nil {
		return err
	}
	defer at.Remove(staging) // what cannot be removed now, the next run removes
	ignore, staged := filepath.Join(staging, ignoreFile), filepath.Join(staging, stagedFile)
	lock, err := r.create(ignore, []byte("*\n"), 0)
	if err != nil {
		return err
	}
	defer at.Remove(ignore)
	defer lock.Close()
	if err := lockFile(lock); err != nil {
		return err
	}
	if err := r.writeTemp(staged, data, mode); err != nil {
		return err
	}
	if err := at.Rename(staged, name); err != nil {
		_ = at.Remove(staged) // the first error is the one that explains
		return err
	}
	return nil
}

// Sweep removes the files that killed writers left in the folders of files. The files of a running writer
// stay: it holds a lock.
func Sweep(r *Root, files ...string) {
	done := map[string]bool{}
	for _, path := range files {
		dir, err := r.follow(slashpath.Dir(path))
		if err != nil || done[dir] {
			continue
		}
		done[dir] = true
		f, err := r.at().Open(dir)
		if err != nil {
			continue
		}
		entries, _ := f.ReadDir(-1) // what could be read of it
		f.Close()
		for _, e := range entries {
			name := filepath.Join(dir, e.Name())
			if !isTempName(e.Name()) {
				continue
			} else if e.IsDir() {
				sweepStaging(r.at(), name)
			} else if info, err := r.at().Lstat(name); err == nil && info.Mode().IsRegular() {
				if owned, _ := ownedByUser(info); owned { // an earlier version staged in a file
					_ = r.at().Remove(name)
				}
			}
		}
	}
}

// sweepStaging removes a staging folder whose writer is gone. A writer that has just made it, and holds no lock yet, begins anew.
func sweepStaging(at *os.Root, staging string) {
	if info, err := at.Lstat(staging); err != nil || keepsModes && info.Mode().Perm() != stagingMode {
		return
	}
	ignore := filepath.Join(staging, ignoreFile)
	if info, err := at.Lstat(ignore); err == nil && info.Mode().IsRegular() {
		lock, err := at.OpenFile(ignore, writeFlags, 0)
		if err != nil {
			return
		}
		err = lockFile(lock)
		if err == nil {
			_ = at.Remove(filepath.Join(staging, stagedFile))
		}
		lock.Close()
		if err != nil || at.Remove(ignore) != nil {
			return
		}
	}
	_ = at.Remove(staging) // a folder with other content stays
}

// writable returns the mode to write with: that of an existing file, which the
// umask must not change, or 0 for the default.
func (r *Root) writable(path, name string) (fs.FileMode, error) {
	info, err := r.at().Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, refusal(path, err)
	case !info.Mode().IsRegular():
		return 0, fmt.Errorf("%s: %w", path, ErrNotRegular)
	}
	return info.Mode().Perm(), nil
}

// TempName is a name for what is staged. It is hidden, so that neither the tree nor a scan takes what is staged
// for an entry, and does not grow with the target's name.
func TempName() string { return tempBegin + rand.Text()[:tempLength] + tempEnd }

const (
	tempBegin, tempEnd = ".brv-", ".tmp"
	tempLength         = 16
	tempSigns          = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567" // of rand.Text
)

// isTempName reports whether a name is one of TempName's.
func isTempName(name string) bool {
	middle, begins := strings.CutPrefix(name, tempBegin)
	middle, ends := strings.CutSuffix(middle, tempEnd)
	return begins && ends && len(middle) == tempLength && strings.Trim(middle, tempSigns) == ""
}

// writeTemp writes a new file durably, or leaves nothing.
func (r *Root) writeTemp(temp string, data []byte, mode fs.FileMode) error {
	f, err := r.create(temp, data, mode)
	if err != nil {
		return err
	}
	err = f.Sync()
	if err = cmp.Or(err, f.Close()); err != nil {
		_ = r.at().Remove(temp) // the first error is the one that explains
	}
	return err
}
