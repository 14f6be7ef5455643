//go:build linux || darwin

package jail

import (
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Dir is an open folder inside a [Root], for walks. Names are looked up relative to
// the open folder and never followed: a link is no folder and no file. It stays with
// the folder when that is renamed. It is not safe for concurrent use but for Open.
type Dir struct {
	file *os.File // not one of os.Root, whose listings ask for each name's record
	fd   int
}

// dirFlags open a folder and nothing else, which waits for no pipe.
const dirFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC

// OpenDir opens the folder itself.
func (r *Root) OpenDir() (*Dir, error) {
	f, err := r.openDir(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := &Dir{file: f, fd: int(f.Fd())}
	return d.at(".")
}

// Open opens the folder at a path below d, none of whose components may be a link.
func (d *Dir) Open(path string) (*Dir, error) {
	if _, err := local(path); err != nil {
		return nil, err
	}
	at := d
	for name := range strings.SplitSeq(path, "/") {
		next, err := at.at(name)
		if at != d {
			at.Close()
		}
		if err != nil {
			return nil, refusal(path, err)
		}
		at = next
	}
	return at, nil
}

// at opens the folder of a name that was checked.
func (d *Dir) at(name string) (*Dir, error) {
	fd, err := d.openat(name, dirFlags)
	if err != nil {
		return nil, err
	}
	return &Dir{os.NewFile(uintptr(fd), name), fd}, nil
}

func (d *Dir) openat(name string, flags int) (fd int, err error) {
	err = retried(func() error {
		fd, err = unix.Openat(d.fd, name, flags, 0)
		return err
	})
	runtime.KeepAlive(d.file)
	return fd, err
}

// List returns up to n more entries, in the file system's order, and [io.EOF] behind
// the last.
func (d *Dir) List(n int) ([]Entry, error) {
	some, err := d.file.ReadDir(n)
	out := make([]Entry, len(some))
	for i, e := range some {
		out[i] = Entry{e.Name(), e.Type()}
	}
	return out, err
}

// Lstat returns the record of a name.
func (d *Dir) Lstat(name string) (Record, error) {
	if err := component(name); err != nil {
		return Record{}, err
	}
	var s unix.Stat_t
	err := retried(func() error { return unix.Fstatat(d.fd, name, &s, unix.AT_SYMLINK_NOFOLLOW) })
	runtime.KeepAlive(d.file)
	if err != nil {
		return Record{}, refusal(name, err)
	}
	return Record{
		Mode: modeOf(uint32(s.Mode)), Size: s.Size, Inode: s.Ino,
		ModTime: time.Unix(s.Mtim.Unix()), Changed: time.Unix(s.Ctim.Unix()),
	}, nil
}

// ReadFile returns the bytes of a regular file of at most limit bytes.
func (d *Dir) ReadFile(name string, limit int64) ([]byte, error) {
	if err := component(name); err != nil {
		return nil, err
	}
	fd, err := d.openat(name, readFlags|unix.O_NOFOLLOW|unix.O_CLOEXEC)
	if err == syscall.ELOOP {
		return nil, fmt.Errorf("%s: %w", name, ErrNotRegular)
	} else if err != nil {
		return nil, refusal(name, err)
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, refusal(name, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", name, ErrNotRegular)
	}
	return readAtMost(f, name, info.Size(), limit)
}

// Close releases the handle.
func (d *Dir) Close() error { return d.file.Close() }

// retried calls f until no signal interrupts it.
func retried(f func() error) error {
	for {
		if err := f(); err != syscall.EINTR {
			return err
		}
	}
}

// modeOf returns the permissions and type bits of a system's mode.
func modeOf(mode uint32) fs.FileMode {
	m := fs.FileMode(mode & 0o777)
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		m |= fs.ModeDir
	case unix.S_IFLNK:
		m |= fs.ModeSymlink
	default:
		m |= fs.ModeIrregular
	}
	return m
}
