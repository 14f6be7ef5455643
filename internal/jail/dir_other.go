//go:build !linux && !darwin

package jail

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"syscall"
)

// Dir is a folder inside a [Root], for walks. Links are never followed knowingly: each
// folder is looked at before it is used. It is not safe for concurrent use but for Open.
type Dir struct {
	root *Root
	path string
	left []Entry // to be listed
	read bool
}

// OpenDir opens the folder itself.
func (r *Root) OpenDir() (*Dir, error) { return &Dir{root: r, path: "."}, nil }

// Open opens the folder at a path below d, none of whose components may be a link.
func (d *Dir) Open(p string) (*Dir, error) {
	if _, err := local(p); err != nil {
		return nil, err
	}
	at := d.path
	for name := range strings.SplitSeq(p, "/") {
		at = path.Join(at, name)
		info, err := d.root.Lstat(at)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			return nil, fmt.Errorf("%s: %w", at, syscall.ENOTDIR)
		}
	}
	return &Dir{root: d.root, path: at}, nil
}

// List returns up to n more entries, in order of name, and [io.EOF] behind the last.
func (d *Dir) List(n int) ([]Entry, error) {
	if !d.read {
		entries, err := d.root.ReadDir(d.path)
		if err != nil {
			return nil, err
		}
		d.read = true
		for _, e := range entries {
			d.left = append(d.left, Entry{e.Name(), e.Type()})
		}
	}
	if len(d.left) == 0 {
		return nil, io.EOF
	}
	some := d.left[:min(n, len(d.left))]
	d.left = d.left[len(some):]
	return some, nil
}

// Lstat returns the record of a name.
func (d *Dir) Lstat(name string) (Record, error) {
	if err := component(name); err != nil {
		return Record{}, err
	}
	info, err := d.root.Lstat(path.Join(d.path, name))
	if err != nil {
		return Record{}, err
	}
	return RecordOf(info), nil
}

// ReadFile returns the bytes of a regular file of at most limit bytes.
func (d *Dir) ReadFile(name string, limit int64) ([]byte, error) {
	r, err := d.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !r.Mode.IsRegular() {
		return nil, fmt.Errorf("%s: %w", name, ErrNotRegular)
	}
	return d.root.ReadFile(path.Join(d.path, name), limit)
}

// Close releases the handle.
func (d *Dir) Close() error { return nil }

func renameNew(*os.File, string, *os.File, string) error { return errors.ErrUnsupported }

func exchange(*os.File, string, *os.File, string) error { return errors.ErrUnsupported }
