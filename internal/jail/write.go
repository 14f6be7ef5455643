package jail

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	slashpath "path"
	"path/filepath"
)

// Modes of what WriteFile creates; the process's umask applies.
const (
	fileMode fs.FileMode = 0o644
	dirMode  fs.FileMode = 0o755
)

// WriteFile replaces the file's content in one step, creating the folders above
// it. An existing file keeps its permissions. A directory, link, pipe or device
// in its place is refused: replacing a link would silently cut it.
func (r *Root) WriteFile(path string, data []byte) error {
	name, err := r.local(path)
	if err != nil {
		return err
	}
	mode, err := r.writable(path, name)
	if err != nil {
		return err
	}
	dir := filepath.Dir(name)
	if err := r.at().MkdirAll(dir, dirMode); err != nil {
		return refusal(path, err)
	}
	temp := filepath.Join(dir, tempName())
	if err := r.writeTemp(temp, data, mode); err != nil {
		return refusal(path, err)
	}
	if err := r.at().Rename(temp, name); err != nil {
		_ = r.at().Remove(temp) // the first error is the one that explains
		return refusal(path, err)
	}
	_ = r.SyncDir(slashpath.Dir(path)) // the file is in place all the same
	return nil
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

// tempName is hidden, so that neither the tree nor a scan takes a temporary file
// for an entry, and does not grow with the target's name.
func tempName() string { return ".brv-" + rand.Text()[:16] + ".tmp" }

// writeTemp writes a new file durably, or leaves nothing.
func (r *Root) writeTemp(temp string, data []byte, mode fs.FileMode) error {
	f, err := r.create(temp, data, mode)
	if err != nil {
		return err
	}
	err = f.Sync()
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		_ = r.at().Remove(temp) // the first error is the one that explains
	}
	return err
}
