package jail

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
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
	name, err := local(path)
	if err != nil {
		return err
	}
	mode, exists, err := r.writable(path, name)
	if err != nil {
		return err
	}
	dir := filepath.Dir(name)
	if err := r.root.MkdirAll(dir, dirMode); err != nil {
		return refusal(path, err)
	}
	temp := filepath.Join(dir, tempName())
	if err := r.writeTemp(temp, data, mode, exists); err != nil {
		_ = r.root.Remove(temp) // the first error is the one that explains
		return refusal(path, err)
	}
	if err := r.root.Rename(temp, name); err != nil {
		_ = r.root.Remove(temp) // the first error is the one that explains
		return refusal(path, err)
	}
	r.syncDir(dir)
	return nil
}

// writable returns the mode to write with and whether it is that of an existing
// file, which the umask must not change.
func (r *Root) writable(path, name string) (mode fs.FileMode, exists bool, err error) {
	info, err := r.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fileMode, false, nil
	case err != nil:
		return 0, false, refusal(path, err)
	case !info.Mode().IsRegular():
		return 0, false, fmt.Errorf("%s: %w", path, ErrNotRegular)
	}
	return info.Mode().Perm(), true, nil
}

// tempName is hidden, so that neither the tree nor a scan takes a temporary file
// for an entry, and does not grow with the target's name.
func tempName() string { return ".brv-" + rand.Text()[:16] + ".tmp" }

func (r *Root) writeTemp(temp string, data []byte, mode fs.FileMode, keep bool) error {
	f, err := r.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && keep {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}

// syncDir makes the rename itself durable where the system can sync a directory.
// Windows and some network file systems cannot; the file is in place all the
// same, so that is no error.
func (r *Root) syncDir(dir string) {
	d, err := r.root.Open(dir)
	if err != nil {
		return
	}
	_ = d.Sync()
	d.Close()
}
