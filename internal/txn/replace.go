package txn

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// Replace writes one file in one step, without a record. It is for derived files and for state; call it under
// Locked if others write the file too. It makes parent folders, and keeps the mode of an existing file. The file
// is durable when Replace returns. Replace has a lock of its own for its temporary file. So a crash leaves at most
// one, which the next Replace removes. It returns errors of the file system and [ErrBusy].
func (j *Journal) Replace(file string, data []byte) error {
	if err := j.validate([]Change{{Path: file}}); err != nil {
		return err
	}
	mode, err := j.replaceable(file)
	if err != nil {
		return err
	}
	unlock, err := j.acquire(context.Background(), j.replaceLock, "")
	if err != nil {
		return err
	}
	defer unlock()
	if err := j.remove(j.replaceTemp); err != nil {
		return err
	}
	dir := path.Dir(file)
	if _, err := j.makeAll(dir); err != nil {
		return err
	}
	if err := j.write(j.replaceTemp, file, data, mode); err != nil {
		_ = j.remove(j.replaceTemp)
		return err
	}
	for ; ; dir = path.Dir(dir) { // a process that made a folder may have been killed before it synced the name
		if err := j.fsys.SyncDir(dir); err != nil || dir == "." {
			return err
		}
	}
}

// replaceable returns the mode of the file to replace, 0 if it is missing.
func (j *Journal) replaceable(file string) (fs.FileMode, error) {
	info, err := j.fsys.Lstat(file)
	switch {
	case missing(err):
		return 0, nil
	case err != nil:
		return 0, err
	case !info.Mode().IsRegular():
		return 0, fmt.Errorf("%s: %w", file, jail.ErrNotRegular)
	}
	return info.Mode().Perm(), nil
}

// write writes a file through a temporary one, which is next to it if the journal is on another device.
func (j *Journal) write(temp, file string, data []byte, mode fs.FileMode) error {
	if err := j.fsys.Create(temp, data, mode, time.Time{}); err != nil {
		return err
	}
	if err := j.fsys.Sync(temp); err != nil {
		return err
	}
	err := j.fsys.Rename(temp, file)
	if beside := path.Join(path.Dir(file), hidden); errors.Is(err, jail.ErrOtherDevice) && path.Dir(temp) == j.dir {
		beside += rand.Text() + tempSuffix
		if err := errors.Join(j.remove(temp), j.write(beside, file, data, mode)); err != nil {
			return errors.Join(err, j.remove(beside))
		}
		return nil
	}
	return err
}
