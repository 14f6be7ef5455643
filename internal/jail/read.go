package jail

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"syscall"
)

// ReadFile returns the bytes of a regular file of at most limit bytes.
func (r *Root) ReadFile(path string, limit int64) ([]byte, error) {
	f, info, err := r.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", path, ErrNotRegular)
	}
	return readAtMost(f, path, info.Size(), limit)
}

// ReadHead returns the first n bytes of a regular file, or all if it has fewer.
func (r *Root) ReadHead(path string, n int64) ([]byte, error) {
	f, info, err := r.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", path, ErrNotRegular)
	}
	return readAtMost(io.LimitReader(f, n), path, min(info.Size(), n), n)
}

// maxGrow bounds the memory taken on the word of a file's record alone.
const maxGrow = 16 << 20

// readAtMost reads f to its end; size is what the file's own record says, which
// a file under /proc understates and a growing one outlives.
func readAtMost(f io.Reader, path string, size, limit int64) ([]byte, error) {
	tooLarge := func() error { return fmt.Errorf("%s: %w (limit %d bytes)", path, ErrTooLarge, limit) }
	if size > limit {
		return nil, tooLarge()
	}
	var buf bytes.Buffer
	buf.Grow(int(min(size, maxGrow)) + bytes.MinRead)
	if limit < math.MaxInt64 {
		f = io.LimitReader(f, limit+1)
	}
	if _, err := buf.ReadFrom(f); err != nil {
		return nil, refusal(path, err)
	}
	if int64(buf.Len()) > limit {
		return nil, tooLarge()
	}
	return buf.Bytes(), nil
}

// ReadDir lists a directory, sorted by name. Links are listed as links; Stat
// tells what stands behind one.
func (r *Root) ReadDir(path string) ([]fs.DirEntry, error) {
	f, info, err := r.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if !info.IsDir() {
		return nil, fmt.Errorf("%s: %w", path, syscall.ENOTDIR)
	}
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, refusal(path, err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// open opens without blocking and describes what is really open.
func (r *Root) open(path string) (*os.File, fs.FileInfo, error) {
	f, err := openFile(r, path)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, refusal(path, err)
	}
	return f, info, nil
}

func openFile(r *Root, path string) (*os.File, error) {
	name, err := local(path)
	if err != nil {
		return nil, err
	}
	if dir := r.handle.Load().file(); dir != nil {
		if f := openBeneath(dir, name, r.plain); f != nil {
			return f, nil
		}
	}
	if name, err = r.follow(path); err != nil {
		return nil, err
	}
	f, err := r.at().OpenFile(name, readFlags, 0)
	if err != nil {
		return nil, refusal(path, err)
	}
	return f, nil
}

// FS returns the folder as a file system for walking. Only directories and
// regular files open; its ReadFile has no size limit, so use [Root.ReadFile]
// for files that others wrote.
func (r *Root) FS() fs.FS { return view{r} }

// view adapts a Root to the interfaces of io/fs.
type view struct{ root *Root }

func (v view) Open(name string) (fs.File, error) {
	f, info, err := v.root.open(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: unprefixed(err)}
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
	}
	return f, nil
}

func (v view) Stat(name string) (fs.FileInfo, error) {
	info, err := v.root.Stat(name)
	if err != nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: unprefixed(err)}
	}
	return info, nil
}

func (v view) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := v.root.ReadDir(name)
	if err != nil {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: unprefixed(err)}
	}
	return entries, nil
}

func (v view) ReadFile(name string) ([]byte, error) {
	data, err := v.root.ReadFile(name, math.MaxInt64)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: unprefixed(err)}
	}
	return data, nil
}

// unprefixed drops the "path: " that our errors carry and a PathError adds
// itself. A path that io/fs calls invalid is fs.ErrInvalid there.
func unprefixed(err error) error {
	if u, ok := err.(interface{ Unwrap() error }); ok && u.Unwrap() != nil {
		return u.Unwrap()
	}
	return err
}
