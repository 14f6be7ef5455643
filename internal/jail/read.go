package jail

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
)

// ReadFile returns the bytes of a regular file of at most limit bytes.
func (r *Root) ReadFile(path string, limit int64) ([]byte, error) {
	f, info, err := r.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAtMost(f, path, info.Size(), limit)
}

// ReadHead returns the first n bytes of a regular file, or all if it has fewer.
func (r *Root) ReadHead(path string, n int64) ([]byte, error) {
	f, info, err := r.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAtMost(io.LimitReader(f, n), path, min(info.Size(), n), n)
}

// OpenFile opens a regular file for reading, without waiting for one, and describes it.
func (r *Root) OpenFile(path string) (*os.File, fs.FileInfo, error) {
	f, info, err := r.open(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		f.Close()
		return nil, nil, fmt.Errorf("%s: %w", path, ErrNotRegular)
	}
	return f, info, nil
}

// maxGrow bounds the memory allocated because of a file's stated size alone.
const maxGrow = 16 << 20

// readAtMost reads f to its end. size is the size by the file's metadata. It is too small for a file under
// /proc and for a growing file.
func readAtMost(f io.Reader, path string, size, limit int64) ([]byte, error) {
	tooLarge := func() error { return fmt.Errorf("%s: %w (limit %d bytes)", path, ErrTooLarge, limit) }
	if size > limit {
		return nil, tooLarge()
	}
	var buf bytes.Buffer
	buf.Grow(int(min(size, maxGrow)) + bytes.MinRead)
	if _, err := buf.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
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
	f, err := r.openDir(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, refusal(path, err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// open opens without blocking and describes the file that was actually opened.
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
	return f, refusal(path, err)
}

// openDir opens a folder like open.
func (r *Root) openDir(path string) (*os.File, error) {
	f, info, err := r.open(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, syscall.ENOTDIR)
	}
	return f, nil
}
